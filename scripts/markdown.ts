/** Writes the parts of generated pages in Markdown. */

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** Breaks prose into lines of at most 120 characters. */
export const wrapped = (text: string): string => text.replaceAll(/(?![^\n]{1,120}$)([^\n]{1,120}) /g, '$1\n');
