/** Decides from which URLs keys may be fetched. A stranger who can alter keys on the way could issue tokens. */

/** OpenID Connect Discovery, sections 3 and 4, requires https. Plain http is accepted only within this machine. */
export function isSecureUrl(text: unknown): text is string {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

/** Whether only this machine can reach an address. An IPv6 address may have the brackets of a URL. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|::1|\[::1\])$/.test(host);
}
