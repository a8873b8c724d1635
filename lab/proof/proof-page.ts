/** Makes docs/proof.md from the record of the runs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { table, wrapped } from '../../scripts/markdown.ts';
import { type Check, isProved, ROOT, type Run, type Runs } from './record.ts';

/** The table is to fit a screen, so it has only the first counts. */
const SHOWN = 3;

export function proofPage(checks: readonly Check[], runs: Runs): string {
  const introduction = readFileSync(join(ROOT, 'lab/proof/page.md'), 'utf8').trim();
  const head = ['Claim', 'Attack', 'Counted', 'Result', 'Controls noticed'];
  const rows = checks.map((check) => rowOf(check, runs[check.name]));
  const sections = checks.map((check) => sectionOf(check, runs[check.name])).join('\n\n');
  return `${introduction}\n\n${table(head, rows)}\n\n${sections}\n`;
}

function rowOf(check: Check, run: Run | undefined): readonly string[] {
  const { claim, attack, name, controls = {}, exempt } = check;
  const names = Object.keys(controls);
  const noticed = names.filter((control) => (run?.controls[control] ?? 0) > 0);
  return [
    `[${claim}](#${name})`,
    attack,
    textOf(Object.fromEntries(Object.entries(run?.outcome?.counts ?? {}).slice(0, SHOWN))),
    run === undefined ? 'not run yet' : isProved(check, run) ? 'held' : '**failed**',
    names.length === 0 ? `none: ${exempt}` : `${noticed.length} of ${names.length}`,
  ];
}

function sectionOf({ name, program, controls = {} }: Check, run: Run | undefined): string {
  if (run === undefined) return `## ${name}\n\nThis check has not run yet: \`npm run proof -- ${name}\`.`;
  const { outcome, commit, date, seconds } = run;
  if (outcome === null) return `## ${name}\n\nThis check could not run at commit ${commit} on ${date}.`;
  const found = Object.entries(controls).map(([control, broken]) => {
    return [`\`${control}\``, broken, violations(run.controls[control] ?? null)];
  });
  return [
    `## ${name}`,
    `Commit ${commit} on ${date}, ` +
      `${seconds.toLocaleString('en-US')} s with the controls: ${violations(outcome.violations)}.`,
    ...(outcome.first === null ? [] : [`The first: \`${outcome.first}\``]),
    wrapped(`Counted: ${textOf(outcome.counts)}.`),
    wrapped(`Versions: ${textOf(outcome.versions) || 'only Plant Store'}.`),
    ...(found.length === 0 ? [] : [table(['Control', 'What is wrong', 'Noticed'], found)]),
    `\`\`\`sh\nnode_modules/.bin/node ${program} --seed ${outcome.seed}\n\`\`\``,
  ].join('\n\n');
}

function violations(count: number | null): string {
  if (count === null) return 'could not run';
  return `${count.toLocaleString('en-US')} ${count === 1 ? 'violation' : 'violations'}`;
}

function textOf(values: Readonly<Record<string, number | string>>): string {
  const text = ([name, value]: readonly [string, number | string]) =>
    typeof value === 'number' ? `${value.toLocaleString('en-US')} ${name}` : `${name} ${value}`;
  return Object.entries(values).map(text).join(', ');
}
