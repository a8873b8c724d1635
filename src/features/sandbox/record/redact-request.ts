/** Replaces the secrets in a received request with `…`. Names and schemes stay. */
import { redactTokens } from '../../../auth/redact-tokens.ts';
import { decode } from '../../../http/request.ts';

/** A name that ends with one of these belongs to a secret. Names are in lower case and without punctuation. */
const CREDENTIALS = [
  'token|secret|authorization|cookie2?|dpop|jwt|assertion|samlresponse|credentials?|signature(?:256)?',
  'passw(?:or)?d|passphrase|passcode|(?:session|sess)id|(?:api|access|auth|account|functions|private|subscription)key',
];
/** Only these whole names belong to secrets, since other names may end with these words. */
const WHOLE = '(?:(?:auth|authorization|device|user|verification)?code|codeverifier|key|pass|pwd|pin|otp|sid|sig)';
/** Header fields with the address of a client. */
const ADDRESSES = '(?:client|connecting|real|remote|socket|user)ip(?:v6)?|forwardedfor|^forwarded';
const SECRET_NAME = new RegExp(`(?:${CREDENTIALS.join('|')}|^${WHOLE}|${ADDRESSES})$`);

/** A parameter in a query, also in the value of a field such as Referer, and in a form. */
const IN_QUERY = /([?&#])([^?&#=\n]*)=[^&#\n]*/g;
const IN_FORM = /(^|&)([^&=]*)=[^&]*/g;
/** A string, which may be cut off; a bracket, a comma or a colon; or another scalar. */
const JSON_TOKEN = /"(?:[^"\\]|\\.?)*(?:"|$)|[{}[\],:]|[^\s"{}[\],:]+/gs;
/** An escape in a JSON string. Only the escapes with a code can be letters or digits. */
const ESCAPE = /\\(?:u([\da-f]{4})|.)/gis;

/** Hides what is secret wherever it is. `text`: a target, or the lines of many header fields. */
export function redactLines(text: string): string {
  return redactPairs(redactTokens(text), IN_QUERY);
}

/** The value of a header field, after `redactLines`. Authorization fields keep their scheme. */
export function redactField(name: string, value: string): string {
  if (!isSecret(name)) return value;
  const scheme = /authorization$/i.test(name) ? /^([\w-]{1,20}) /.exec(value)?.[1] : undefined;
  return scheme === undefined ? '…' : `${scheme} …`;
}

/** `body`: JSON or a form, even if it is malformed or cut off. */
export function redactBody(body: string): string {
  const text = redactTokens(body);
  return /^\s*[{["]/.test(text) ? redactJson(text) : redactPairs(text, IN_FORM);
}

function isSecret(name: string): boolean {
  return SECRET_NAME.test(name.toLowerCase().replace(/[^a-z\d]/g, ''));
}

function redactPairs(text: string, pattern: RegExp): string {
  return text.replace(pattern, (pair, mark: string, name: string) =>
    isSecret(decode(name) ?? name) ? `${mark}${name}=…` : pair,
  );
}

/** Replaces each scalar in the value of a secret member. Everything else stays as it was written. */
function redactJson(text: string): string {
  let depth = 0;
  let last = '';
  /** The depth of the secret member whose value is read. */
  let secretAt: number | undefined;
  return text.replace(JSON_TOKEN, (token) => {
    switch (token) {
      case ':':
        if (secretAt === undefined && isSecret(decodeEscapes(last))) secretAt = depth;
        // A malformed body can repeat the colon. No name is tested twice.
        last = '';
        return token;
      case '{':
      case '[':
        depth++;
        return token;
      case ',':
      case '}':
      case ']':
        if (secretAt === depth) secretAt = undefined;
        if (token !== ',') depth--;
        return token;
      default:
        last = token;
        if (secretAt === undefined) return token;
        return token.startsWith('"') ? '"…"' : '…';
    }
  });
}

/** Keeps the letters and digits. For a malformed string, JSON.parse would throw, which takes up to 20 µs. */
function decodeEscapes(token: string): string {
  return token.replace(ESCAPE, (_, code = '') => (code === '' ? '' : String.fromCharCode(Number.parseInt(code, 16))));
}
