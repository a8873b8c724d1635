/** Owns exact integers: which integer a number's source text means, and how an integer is written in a parameter. */

export const INT32_MIN = -(2n ** 31n);
export const INT32_MAX = 2n ** 31n - 1n;
export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

/** More digits than any int64 or any 64 KiB number needs to be told apart from one. */
const MAX_DIGITS = 20;

/**
 * The integer that a JSON number means, whatever its notation: `12`, `12.0` and `1.2e1` are all 12 (JSON Schema 2020-12,
 * validation, 6.1.1). Undefined when it has a fraction or more than 20 digits, which is beyond every int64. Works on the
 * text, so that neither `1e999999999` nor a fraction behind 17 digits can deceive or delay it.
 */
export function integerOf(source: string): bigint | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.slice(0, endOfSignificant(digits));
  if (significant === '') return sign === undefined ? undefined : 0n;
  const zeros = digits.length - significant.length + Number(exponent) - fraction.length;
  if (zeros < 0 || significant.length + zeros > MAX_DIGITS) return undefined;
  const magnitude = BigInt(significant + '0'.repeat(zeros));
  return sign === '-' ? -magnitude : magnitude;
}

/** A loop, since `/0+$/` begins anew at every zero: 64 KiB of them would hold the event loop for seconds. */
function endOfSignificant(digits: string): number {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  return end;
}

/** The integer that a parameter means: plain decimal notation only, so that each integer has one address. */
export function integerOfParameter(text: string): bigint | undefined {
  return /^(?:0|-?[1-9]\d{0,19})$/.test(text) ? BigInt(text) : undefined;
}
