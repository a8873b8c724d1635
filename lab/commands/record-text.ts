/** Writes a grading as JSON. Each run, defect and outcome is one line, so that people can compare two versions. */
import { jsonText } from '../../src/cli/output.ts';

/** Writes one line for each member, and one for each item of a list. */
export function recordText(record: object): string {
  // JSON.stringify leaves out such members too.
  const members = Object.entries(record).filter(([, value]) => value !== undefined);
  const lines = members.map(([name, value]) => {
    return `  ${jsonText(name)}: ${Array.isArray(value) ? listText(value) : jsonText(value)}`;
  });
  return `{\n${lines.join(',\n')}\n}\n`;
}

function listText(items: readonly unknown[]): string {
  if (items.length === 0) return '[]';
  return `[\n${items.map((item) => `    ${jsonText(item)}`).join(',\n')}\n  ]`;
}
