/** Owns what a postgres:// URL has to be before anything is loaded or connected for it. */

/** Throws an Error that says what would be right, and repeats nothing of the URL: it may hold a password. */
export function checkUrl(url: string): void {
  // An unescaped / ? or # in the password moves where the address begins: what is left of it would be shown.
  if (/#|[/?].*@/.test(url.replace(/^\w+:\/\//, ''))) {
    throw new Error('it is not well-formed: percent-encode / ? # and @ in user and password');
  }
  // Without a host it leads to a socket, or to where libpq's variables say; to the parser that is no URL.
  const parsed = URL.parse(url) ?? URL.parse(url.replace('@/', '@host/'));
  if (parsed === null || !isUtf8(parsed)) throw new Error('it is not well-formed');
}

/** Whether what is percent-encoded in it can be decoded. */
function isUtf8({ username, password, hostname, pathname }: URL): boolean {
  try {
    [username, password, hostname, pathname].forEach(decodeURIComponent);
    return true;
  } catch {
    return false;
  }
}
