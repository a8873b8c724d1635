/** Owns the help: made of the option tables, like the README's table. */
import { type Option, serveOptions, variableOf } from './options.ts';

export function help(): string {
  const rows = Object.entries<Option<unknown>>(serveOptions).map(([name, option]) => ({
    left: option.secret === true ? `${variableOf(name)}=${option.value}` : `--${name} ${option.value}`,
    right: `${option.help}${option.fallback === undefined ? '' : ` (default ${option.fallback})`}`,
  }));
  const width = Math.max(...rows.map((row) => row.left.length));
  return `Plant Store: a plant store whose running behaviour is its OpenAPI description.

Usage: plantstore <command> [options]

Commands:
  serve    Run the service

plantstore --help and plantstore --version say this and the version.

Options of serve, each also in the environment (--base-url is PLANTSTORE_BASE_URL):
${rows.map((row) => `  ${row.left.padEnd(width)}  ${row.right}`).join('\n')}
`;
}

/** The options of `serve` as the README's table. */
export function optionsTable(): string {
  const rows = Object.entries<Option<unknown>>(serveOptions).map(([name, option]) => {
    const flag = option.secret === true ? '(environment only)' : `\`--${name} ${option.value}\``;
    const variables = [variableOf(name), ...(option.platform === undefined ? [] : [option.platform])];
    const fallback = option.fallback === undefined ? '' : `\`${option.fallback}\``;
    return `| ${flag} | ${variables.map((name) => `\`${name}\``).join(', ')} | ${fallback} | ${option.help} |`;
  });
  return ['| flag | environment | default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
