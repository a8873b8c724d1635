/** Results of gradings as one HTML page without scripts and without references to other files. */
import type { GradeResult } from './grade-result.ts';

type DefectResult = GradeResult['defects'][number];

const SYMBOLS = { found: '●', noticed: '◐', missed: '○', 'not triggered': '–' } as const;

const STYLE = `
body { margin: 2rem; color: #1b1b1b; background: #fff; font: 16px/1.5 system-ui, sans-serif; }
h1, h2, h3 { line-height: 1.2; }
.scroll { overflow-x: auto; }
.scroll:focus-visible { outline: 3px solid #1a5fb4; outline-offset: 2px; }
table { border-collapse: collapse; margin-block: 1rem; }
th, td { border: 1px solid #8a8a8a; padding: 0.25rem 0.6rem; text-align: left; vertical-align: top; }
thead th { background: #f3f3f3; }
tbody th { font-weight: normal; min-width: 14rem; }
td small, th small { display: block; color: #3d3d3d; }
td.found { background: #c5e8c9; }
td.noticed { background: #fbeeb8; }
td.missed { background: #f7cfc9; }
td.not-triggered { background: #ececec; }
code { overflow-wrap: anywhere; }
@media print {
  body { margin: 0; font-size: 9pt; }
  .scroll { overflow: visible; }
  td { print-color-adjust: exact; }
  tr { break-inside: avoid; }
}
`;

export function pageOf(results: readonly GradeResult[]): string {
  const titles = results.map(({ tester }) =>
    tester.version === null ? tester.name : `${tester.name} ${tester.version}`,
  );
  const defects = new Map(results.flatMap((result) => result.defects.map((defect) => [defect.name, defect] as const)));
  const tiers = Map.groupBy(defects.values(), ({ tier }) => tier);
  const heads = titles.map((title) => `<th scope="col">${escapeHtml(title)}</th>`).join('');
  const matrices = [...tiers].map(([tier, defects]) => {
    const rows = defects.map(({ name, does, ruleIn }) => {
      const rule = ruleIn === 'schema' ? 'rule in a schema' : 'rule only in prose';
      const cells = results.map((result) => cellOf(result.defects.find((one) => one.name === name)));
      return `<tr><th scope="row">${escapeHtml(name)}<small>${escapeHtml(does)} (${rule})</small></th>${cells.join('')}</tr>`;
    });
    return table(`Tier ${tier}`, `<tr><th scope="col">Defect</th>${heads}</tr>`, rows);
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>What ${escapeHtml(titles.join(', '))} noticed</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>What API testers find</h1>
<p>Each tester ran on services that are each wrong in one known way, and on the clean service.
A cell has the result, the number of runs that noticed and named the defect, and the exposure: when the defect first
showed, as the median of the runs.</p>
<ul>
<li>${SYMBOLS.found} found: runs noticed the defect more often than luck explains.</li>
<li>${SYMBOLS.noticed} noticed: at least one run noticed the defect, which may be luck.</li>
<li>${SYMBOLS.missed} missed: a request triggered the defect, but the tester did not notice it.</li>
<li>${SYMBOLS['not triggered']} not triggered: no request triggered the defect.</li>
</ul>
<h2>Defect by defect</h2>
${matrices.join('\n')}
<h2>Testers</h2>
${results.map((result, i) => testerOf(result, titles[i] ?? '')).join('\n')}
</main>
</body>
</html>
`;
}

function cellOf(defect: DefectResult | undefined): string {
  if (defect === undefined) return '<td>not graded</td>';
  const { outcome, noticed, named, exposure } = defect;
  const rate =
    noticed.runs === 0 ? '' : `<small>in ${noticed.runs} of ${noticed.of} runs, named in ${named.runs}</small>`;
  const shown =
    exposure === undefined
      ? ''
      : `<small>shown in request ${exposure.requests}, after ${seconds(exposure.milliseconds)}</small>`;
  return `<td class="${outcome.replace(' ', '-')}">${SYMBOLS[outcome]} ${outcome}${rate}${shown}</td>`;
}

function testerOf(result: GradeResult, title: string): string {
  const { tester, service, environment, options, runs, falseAlarms, groundless, short, reached, tiers } = result;
  const controls = runs.filter(({ defect }) => defect === null);
  const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  const facts = {
    Command: `<code>${escapeHtml(tester.command.join(' '))}</code>`,
    'Judged by': escapeHtml(tester.findings),
    Seeds: `${options.seeds}, with ${controls.length} controls`,
    'False alarms': `${falseAlarms.length} of ${controls.length} controls, and ${groundless.length} runs that did not trigger their defect`,
    'Short runs': String(short.length),
    'Median of the controls': `${median(controls.map(({ counts }) => counts.requests))} requests in ${seconds(median(controls.map(({ testerMilliseconds }) => testerMilliseconds)))}`,
    'Statuses reached on the clean service': escapeHtml(reachedOf(reached)),
    'Plant Store': escapeHtml(
      [environment.plantStore, environment.commit?.slice(0, 12)].filter(Boolean).join(', commit '),
    ),
    Service: escapeHtml(`${service.name} ${service.version}`),
    Description: `SHA-256 <code>${escapeHtml(service.description)}</code>`,
    Machine: escapeHtml(`${environment.cores} × ${environment.cpu}, ${environment.platform}, Node ${environment.node}`),
    Variants: options.variants === undefined ? 'as published' : `seed ${options.variants}`,
    Ended: escapeHtml(result.endedAt),
  };
  const rows = Object.entries(facts).map(([name, value]) => `<tr><th scope="row">${name}</th><td>${value}</td></tr>`);
  const isOnce = options.seeds === 1;
  const numbers = tiers.flatMap(({ tier, schema, prose }) =>
    [['in a schema', schema] as const, ['only in prose', prose] as const].flatMap(([rule, cell]) => {
      const shown = [cell.planted, cell.triggered, isOnce ? cell.noticed : cell.found, cell.named];
      const cells = shown.map((number) => `<td>${number}</td>`).join('');
      return cell.planted === 0 ? [] : [`<tr><th scope="row">${escapeHtml(tier)}, rule ${rule}</th>${cells}</tr>`];
    }),
  );
  const heads = ['Tier', 'Planted', 'Triggered', isOnce ? 'Noticed once' : 'Found', 'Named'];
  const head = `<tr>${heads.map((one) => `<th scope="col">${one}</th>`).join('')}</tr>`;
  return `<h3>${escapeHtml(title)}</h3>
${table(`${title}: numbers of defects`, head, numbers)}
${table(`${title}: how it ran`, '<tr><th scope="col">What</th><th scope="col">Value</th></tr>', rows)}`;
}

/** For example "getPlant 200 404; listPlants 200". */
function reachedOf(pairs: readonly string[]): string {
  const byOperation = Map.groupBy(pairs, (pair) => pair.split(' ')[0]);
  return [...byOperation]
    .map(([operation, pairs]) => [operation, ...pairs.map((pair) => pair.split(' ')[1])].join(' '))
    .join('; ');
}

/** A table that scrolls sideways, also by keyboard. */
function table(label: string, head: string, rows: readonly string[]): string {
  const name = escapeHtml(label);
  return `<div class="scroll" role="region" aria-label="${name}" tabindex="0">
<table><caption>${name}</caption><thead>${head}</thead><tbody>
${rows.join('\n')}
</tbody></table></div>`;
}

const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(milliseconds < 10_000 ? 2 : 0)} s`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (one) => ENTITIES[one] ?? one);
}
