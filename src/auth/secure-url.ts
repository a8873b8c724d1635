/** From where keys may be fetched: whoever can alter them on the way could issue tokens. */

/** OpenID Connect Discovery, sections 3 and 4: https; plain http only where nothing leaves the machine. */
export function isSecureUrl(text: unknown): text is string {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
