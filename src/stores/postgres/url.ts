/** Checks a postgres:// URL before the engine is loaded. */

/** The parameters that pg reads and that are useful for this service. */
const PARAMETERS = (
  'application_name, host, options, password, port, sslcert, sslkey, sslmode, sslnegotiation, sslrootcert, ' +
  'uselibpqcompat, user'
).split(', ');
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** Throws an Error with the rule that the URL violates, never with the URL, which may contain a password. */
export function checkUrl(url: string): void {
  // With an unescaped / ? or # in the password, part of the password would be taken for the address and shown.
  if (/#|[/?].*@/.test(url.replace(/^\w+:\/\//, ''))) {
    throw new Error('it is not well-formed: percent-encode / ? # and @ in user and password');
  }
  // A URL without a host means a socket or the host in libpq's variables. The parser would refuse such a URL.
  const parsed = URL.parse(url) ?? URL.parse(url.replace('@/', '@host/'));
  if (parsed === null || !isUtf8(parsed)) throw new Error('it is not well-formed');
  // pg ignores unknown parameters, so a typo would silently turn encryption off.
  if (![...parsed.searchParams.keys()].every((name) => PARAMETERS.includes(name))) {
    throw new Error(`its parameters must be among ${PARAMETERS.join(', ')}`);
  }
  // pg takes an unknown mode in the URL for verify-full, but an unknown mode in the environment for no encryption.
  const modes = SSL_MODES.join(', ');
  if (!parsed.searchParams.getAll('sslmode').every((mode) => SSL_MODES.includes(mode))) {
    throw new Error(`its sslmode must be one of ${modes}`);
  }
  const variable = process.env['PGSSLMODE'];
  if (variable && !SSL_MODES.includes(variable)) throw new Error(`PGSSLMODE must be one of ${modes}`);
  // With uselibpqcompat, pg would refuse the URL later with its own message.
  const has = (name: string, value: string) => parsed.searchParams.get(name) === value;
  if (has('uselibpqcompat', 'true') && has('sslmode', 'verify-ca') && !parsed.searchParams.get('sslrootcert')) {
    throw new Error('its sslmode=verify-ca needs sslrootcert');
  }
}

/**
 * Replaces the modes that pg takes for verify-full by verify-full (docs/postgres.md). Otherwise pg writes several lines
 * about its next major version into the log. With uselibpqcompat the modes keep their meaning for libpq.
 */
export function withPlainSslMode(url: string): string {
  if (/[?&]uselibpqcompat=/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');
}

/** Whether the URL's percent-encoded bytes are UTF-8. */
function isUtf8({ username, password, hostname, pathname }: URL): boolean {
  try {
    [username, password, hostname, pathname].forEach(decodeURIComponent);
    return true;
  } catch {
    return false;
  }
}
