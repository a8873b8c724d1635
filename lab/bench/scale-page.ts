/** The page with the cost of requests in stores of different sizes. */
import type { Rounds } from './figures.ts';
import { machine, markdown, shown } from './report.ts';
import type { Growth } from './scale.ts';

/** Returns the page in Markdown, with a part for each engine. */
export function scalePage(parts: ReadonlyMap<string, Growth>, how: string): string {
  const sections = [...parts].map(([engine, { rounds, plans }]) => {
    const columns = Object.keys([...rounds.values()][0]?.[0] ?? {});
    return `## ${engine}\n\n${turned(rounds, columns)}\n${explained(plans)}`;
  });
  return `<!-- Made by npm run bench -- --scale --write. -->

# How cost grows with the number of plants

${how}
[How it is measured](method.md#stores-of-different-sizes) explains the figures.

${machine()}

${sections.join('\n')}`;
}

/** Returns the plans. Stores with the same plan share a paragraph. */
function explained(plans: Growth['plans']): string {
  const stores = new Map<string, string[]>();
  for (const [store, each] of plans) {
    for (const [request, plan] of Object.entries(each)) {
      const key = `${request}:\n${plan.replaceAll(/^/gm, '  ')}`;
      stores.set(key, [...(stores.get(key) ?? []), store]);
    }
  }
  if (stores.size === 0) return '';
  const paragraphs = [...stores].map(([plan, names]) => `${names.join(', ')}\n${plan}`);
  return `\nThe plans of PostgreSQL:\n\n\`\`\`text\n${paragraphs.join('\n\n')}\n\`\`\`\n`;
}

/** Returns a table with a row for each figure and a column for each server. */
function turned(rounds: Rounds, names: readonly string[]): string {
  const rows = names.map((name) => {
    const cells = [...rounds.values()].map((list) => shown(list.flatMap((figures) => figures[name] ?? [])));
    return [name, ...cells];
  });
  return markdown(['', ...rounds.keys()], rows);
}
