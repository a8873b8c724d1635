/** From where keys may be fetched: a stranger who can alter them on the way could issue tokens. */

/** OpenID Connect Discovery, sections 3 and 4: https; plain http only where nothing leaves the machine. */
export function isSecureUrl(text: unknown): text is string {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

/** Whether only this machine can reach an address; an IPv6 address as such or as URLs write it. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|::1|\[::1\])$/.test(host);
}
