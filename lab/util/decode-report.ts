/** Decodes a report: UTF-16 and the encoding of an XML declaration are recognised, and any other text is UTF-8. */
export function decodeReport(bytes: Buffer): string {
  const [first, second] = bytes;
  const isLittle = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0);
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  const unicode = isLittle ? 'utf-16le' : isBig ? 'utf-16be' : undefined;
  return new TextDecoder(unicode ?? declaredEncoding(bytes)).decode(bytes);
}

function declaredEncoding(bytes: Buffer): string {
  const beginning = bytes.toString('latin1', 0, 300);
  const [, declared = 'utf-8'] = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)/.exec(beginning) ?? [];
  // The declaration itself could be read, so the text is not UTF-16.
  return /^(utf-?16|ucs)/i.test(declared) ? 'utf-8' : declared;
}
