/** The page with the cost of requests in stores of different sizes. */
import type { Rounds } from './figures.ts';
import { machine, shown } from './report.ts';
import type { Growth } from './scale.ts';

/** Returns the page in Markdown, with a part for each engine. */
export function scalePage(parts: ReadonlyMap<string, Growth>, how: string): string {
  const sections = [...parts].map(([engine, { rounds, plans }]) => {
    const columns = Object.keys([...rounds.values()][0]?.[0] ?? {});
    const explained = [...plans].flatMap(([store, each]) =>
      Object.entries(each).map(([request, plan]) => `${store}, ${request}:\n${plan.replaceAll(/^/gm, '  ')}\n`),
    );
    const code =
      explained.length === 0 ? '' : `\nThe plans of PostgreSQL:\n\n\`\`\`text\n${explained.join('\n')}\`\`\`\n`;
    return `## ${engine}\n\n${turned(rounds, columns)}\n${code}`;
  });
  return `<!-- Made by npm run bench -- --scale --write; not to be edited. -->

# How cost grows with the number of plants

${how}
[How it is measured](method.md#stores-of-different-sizes) explains the figures.

${machine()}

${sections.join('\n')}`;
}

/** Returns a table with a row for each figure and a column for each server. */
function turned(rounds: Rounds, names: readonly string[]): string {
  const rows = names.map((name) => {
    const cells = [...rounds.values()].map((list) => shown(list.flatMap((figures) => figures[name] ?? [])));
    return `| ${[name, ...cells].join(' | ')} |`;
  });
  const head = `| ${['', ...rounds.keys()].join(' | ')} |`;
  return [head, `|${' --- |'.repeat(rounds.size + 1)}`, ...rows].join('\n');
}
