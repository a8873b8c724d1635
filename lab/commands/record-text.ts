/** Writes a grading as JSON for people who compare versions: each run, each defect and each outcome is one line. */
import { jsonText } from '../../src/cli/output.ts';

/** One line for each member, and for each item of a member that is a list. */
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
