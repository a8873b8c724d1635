/** Finds the words of a graded command in which a placeholder is mistyped or forgotten. */
import { UsageError } from '../../src/cli/command-line.ts';
import { nearest } from '../../src/util/nearest.ts';

/** Throws a UsageError for a word in braces that is almost a placeholder. Other braces are not ours. */
export function refuseMistyped(words: readonly string[], placeholders: readonly string[]): void {
  for (const [written = '', name = ''] of words.flatMap((word) => [...word.matchAll(/(?<!\$)\{(\w+)\}/g)])) {
    if (placeholders.includes(name)) continue;
    const meant = nearest(name, placeholders) ?? nearest(name.toLowerCase(), placeholders);
    if (meant !== undefined) throw new UsageError(`no such placeholder: ${written}; write {${meant}}`);
  }
}

/** Throws a UsageError if the command has a port of its own, such as `--port 8000`, since each scenario has another. */
export function refuseFixedPort(words: readonly string[]): void {
  if (words.some((word) => /\{(?:port|url)\}/.test(word))) return;
  const fixed = /(?:\b(?:port|bind|listen|runserver)[= ]|(?:^| )-[bp] )(?:\S*:)?(\d{4,5})$/i;
  const [, port] =
    words.map((word, i) => fixed.exec(`${words[i - 1] ?? ''} ${word}`)).find((one) => one !== null) ?? [];
  if (port === undefined) return;
  throw new UsageError(`each scenario has its own port, so the receiver cannot listen on ${port}; write {port}`);
}
