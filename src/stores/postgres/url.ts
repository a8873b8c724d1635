/** Checks a postgres:// URL, before anything is loaded or connected for it. */

/** The parameters that pg reads and that make sense for this service. */
const PARAMETERS = (
  'application_name, host, options, password, port, sslcert, sslkey, sslmode, sslnegotiation, sslrootcert, ' +
  'uselibpqcompat, user'
).split(', ');
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** Throws an Error that says what would be right, and repeats nothing of the URL: it may hold a password. */
export function checkUrl(url: string): void {
  // An unescaped / ? or # in the password moves where the address begins: what is left of it would be shown.
  if (/#|[/?].*@/.test(url.replace(/^\w+:\/\//, ''))) {
    throw new Error('it is not well-formed: percent-encode / ? # and @ in user and password');
  }
  // Without a host it leads to a socket, or to where libpq's variables say; to the parser that is no URL.
  const parsed = URL.parse(url) ?? URL.parse(url.replace('@/', '@host/'));
  if (parsed === null || !isUtf8(parsed)) throw new Error('it is not well-formed');
  // pg passes over what it does not know: a typo would turn encryption off without a word.
  if (![...parsed.searchParams.keys()].every((name) => PARAMETERS.includes(name))) {
    throw new Error(`its parameters must be among ${PARAMETERS.join(', ')}`);
  }
  // pg takes an unknown mode in the URL for verify-full, and one in the environment for no encryption at all.
  const modes = SSL_MODES.join(', ');
  if (!parsed.searchParams.getAll('sslmode').every((mode) => SSL_MODES.includes(mode))) {
    throw new Error(`its sslmode must be one of ${modes}`);
  }
  const variable = process.env['PGSSLMODE'];
  if (variable && !SSL_MODES.includes(variable)) throw new Error(`PGSSLMODE must be one of ${modes}`);
  // With libpq's meaning pg refuses it later, in words of its own.
  const has = (name: string, value: string) => parsed.searchParams.get(name) === value;
  if (has('uselibpqcompat', 'true') && has('sslmode', 'verify-ca') && !parsed.searchParams.get('sslrootcert')) {
    throw new Error('its sslmode=verify-ca needs sslrootcert');
  }
}

/**
 * The URL with the modes that pg takes for verify-full written so (docs/postgres.md): otherwise pg warns of its next
 * major version in several lines, in the midst of the log. With uselibpqcompat they mean what they do to libpq.
 */
export function withPlainSslMode(url: string): string {
  if (/[?&]uselibpqcompat=/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');
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
