import { parse, stringify } from 'yaml';
import { readDescription, withBaseUrl } from '../document.ts';
export function describeAt(form: 'json' | 'yaml', base: string | undefined): string {
  const json = withBaseUrl(readDescription(), base ?? '');
  return form === 'json'
    ? json
    : stringify(parse(json, { intAsBigInt: true }), { aliasDuplicateObjects: false, lineWidth: 120 });
}
