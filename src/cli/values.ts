/**
 * Readers of option values. Their errors name the rule and never repeat the value, which may be secret. Only the path
 * of a database file is repeated.
 */
import { isIP } from 'node:net';
import { isSecureUrl } from '../auth/secure-url.ts';
import { isTokenName, isWellFormedToken, looksLikeJwt, looksOpaque, TOKEN_NAME_RULE } from '../auth/token.ts';
import type { RateLimit } from '../config.ts';
import { isStoreName, STORE_NAME_RULE } from '../plants/plant.ts';
import { checkUrl } from '../stores/postgres/url.ts';
import { checkPath } from '../stores/sqlite/path.ts';
import type { OptionReader } from './command-line.ts';

/** A reader of texts that follow a rule. `read` returns undefined for any other text. */
function reader<T>(rule: string, read: (text: string) => T | undefined): OptionReader<T> {
  return (text) => {
    const value = read(text);
    if (value !== undefined) return value;
    throw new Error(`it must ${rule}`);
  };
}

/** A reader that returns the text unchanged if it passes the test. */
const accept = (isRight: (text: string) => boolean, rule: string) =>
  reader(rule, (text) => (isRight(text) ? text : undefined));

const within = (value: number, min: number, max: number) => (value >= min && value <= max ? value : undefined);

export const integer = (min: number, max: number) =>
  reader(`be an integer from ${min} to ${max}`, (text) =>
    /^\d{1,15}$/.test(text) ? within(Number(text), min, max) : undefined,
  );

export const text = accept((value) => value !== '', 'not be empty');
export const tokenName = accept(isTokenName, `be ${TOKEN_NAME_RULE}`);
export const storeName = accept(isStoreName, `be ${STORE_NAME_RULE}`);
export const keysUrl = accept(isSecureUrl, 'be an https URL (http only on this machine)');
export const issuer = accept(
  (value) => isSecureUrl(value) && !value.includes('?'),
  'be an https URL without query (http only on this machine)',
);
export const mediaType = accept((value) => /^[\w.+/-]{1,64}$/.test(value), 'be a type such as at+jwt or JWT, or any');

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A time such as `500ms`, `10s`, `90d`, in milliseconds. */
const duration = reader('be a time of at least 1ms, such as 500ms, 10s, 5m or 90d', (text) => {
  const [, amount, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  return within(Number(amount) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN), 1, Number.POSITIVE_INFINITY);
});

const timeUpTo = (most: number, name: string) =>
  reader(`be a time of at most ${name}`, (text) => within(duration(text), 0, most));

/** A time that a timer of Node can wait for. */
export const timeout = timeUpTo(2 ** 31 - 1, '24d');
/**
 * How long a connection may be idle, in milliseconds. Node's timer adds a second. A response tells the client the whole
 * seconds, and 0 would let it close a connection that the service keeps.
 */
export const idleTime = reader('be a time of at least 1s', (text) =>
  within(timeUpTo(UNITS.d, '1d')(text), UNITS.s, UNITS.d),
);
/** How long a token lives, in milliseconds. */
export const lifetime = timeUpTo(36_500 * UNITS.d, '36500d');

const SIZES = { '': 1, KiB: 1_024, MiB: 1_048_576 } as const;

export const size = (min: number, max: number) =>
  reader(`be a number of bytes from ${min} to ${max}, such as 64KiB`, (text) => {
    const [, amount, unit] = /^(\d{1,10})(|KiB|MiB)$/.exec(text) ?? [];
    return within(Number(amount) * (SIZES[unit as keyof typeof SIZES] ?? Number.NaN), min, max);
  });

/** The path of a database file without `sqlite:`. Nothing in it can be a password. */
const DATABASE_FILE = /^(?:(?:file|jdbc:sqlite|sqlite3?):)?(\.{0,2}\/?\w[\w./-]{0,98}\.(?:db3?|sqlite3?))$/i;

export const database: OptionReader<string> = (value) => {
  if (/^sqlite:./.test(value)) {
    checkPath(value.slice('sqlite:'.length));
    return value;
  }
  if (!/^postgres(ql)?:\/\/./.test(value)) {
    const [, path] = DATABASE_FILE.exec(value) ?? [];
    throw new Error(`it must be sqlite:PATH or postgres://…${path ? ` (did you mean sqlite:${path}?)` : ''}`);
  }
  checkUrl(value);
  return value;
};

export const serviceDatabase: OptionReader<string> = (value) => (value === 'temporary' ? value : database(value));

/** The scheme, host and port of a URI, and its path with the characters that RFC 3986 allows. */
const BASE_URL = /^https?:\/\/(?:[\w.~-]+|\[[\dA-F:.]+\])(?::\d+)?(\/(?:[\w.~!$&'()*+,;=:/-]|%[\dA-F]{2})*)?$/i;

/** The URL is copied to header fields, and its path is compared with the paths of requests. So it must be exact. */
export const baseUrl: OptionReader<string> = (value) => {
  const [found, path = '/'] = BASE_URL.exec(value) ?? [];
  // Refuses dot segments, which URL.parse removes: the service would compare a different path from the clients'.
  if (found !== undefined && !value.endsWith('/') && URL.parse(value)?.pathname === path) return value;
  if (!/^https?:\/\//i.test(value)) throw new Error('it must begin with http:// or https://');
  if (value.endsWith('/')) throw new Error('it must not end with a slash');
  throw new Error(
    'it must be a URL without query, fragment, user or dot segments; spaces and non-ASCII characters are ' +
      'percent-encoded in its path, and its host is in Punycode',
  );
};

export const token: OptionReader<string> = (value) => {
  if (!/^[A-Za-z0-9\-._~+/]{16,512}=*$/.test(value)) {
    throw new Error('it must be 16 to 512 characters of A-Z a-z 0-9 - . _ ~ + /');
  }
  // Such tokens would be refused in every request.
  if (looksOpaque(value) && !isWellFormedToken(value)) throw new Error('its checksum is wrong');
  if (value.startsWith('pss_')) throw new Error('it must not begin with pss_, which is the prefix of sandbox tokens');
  if (looksLikeJwt(value)) throw new Error('it must not look like a JWT, which has two dots');
  return value;
};

export const words = reader<readonly string[]>('not be empty', (value) => {
  const found = value.split(/[\s,]+/).filter(Boolean);
  return found.length > 0 ? [...new Set(found)].sort() : undefined;
});

/** IP addresses and networks. */
export const addresses: OptionReader<readonly string[]> = (value) => {
  const found = words(value);
  for (const one of found) {
    const [address = '', bits, ...more] = one.split('/');
    const most = isIP(address) === 6 ? 128 : 32;
    const isNetwork = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
    if (isIP(address) === 0 || !isNetwork || more.length > 0) {
      throw new Error('each must be an IP address, or a network such as 10.0.0.0/8');
    }
  }
  return found;
};

const RATE = 'be a number of requests in a time of at most a day, such as 100/s, 1000/10m or 50000/d';

export const rateLimit = reader<RateLimit>(RATE, (value) => {
  const [, quota, amount, unit] = /^(\d{1,9})\/(\d{0,4})([smhd])$/.exec(value) ?? [];
  const window = (Number(amount || 1) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN)) / UNITS.s;
  // Each window is a timer. Node's timers wait at most 24 days.
  return Number(quota) > 0 && window > 0 && window <= 86_400 ? { quota: Number(quota), window } : undefined;
});

export const rateLimitOrOff: OptionReader<RateLimit | 'off'> = (value) => (value === 'off' ? value : rateLimit(value));

const HOST_PORT = 'be an address and a port, such as 127.0.0.1:9090 or [::1]:9090';

export const hostPort = reader<{ readonly host: string; readonly port: number }>(HOST_PORT, (value) => {
  const [, bracketed, plain, port] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(value) ?? [];
  const host = bracketed ?? plain;
  return host !== undefined && Number(port) <= 65_535 ? { host, port: Number(port) } : undefined;
});

export const onOff = reader('be true or false', (value) => {
  if (value === 'true' || value === '1') return true;
  return value === 'false' || value === '0' ? false : undefined;
});

export const oneOf = <T extends string>(values: readonly T[]) =>
  reader(`be one of ${values.join(', ')}`, (value) => values.find((one) => one === value));
