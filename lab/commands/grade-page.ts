/** Results of gradings as one HTML page without scripts and without references to other files. */
import { type Html, html, lines, type Part } from '../../src/util/html.ts';
import { countOf } from '../../src/util/printable.ts';
import { median } from '../grade/statistics.ts';
import { type GradeResult, titleOf } from './grade-result.ts';
import { cell, columnHeads, distinguish, matrix, matrixPage, row, table } from './matrix-page.ts';
import { sumOf } from './sum.ts';

type DefectResult = GradeResult['defects'][number];

const SYMBOLS = { found: '●', noticed: '◐', missed: '○', 'not judged': '?', 'not triggered': '–' } as const;

const COLOURS = {
  found: 'good',
  noticed: 'fair',
  missed: 'bad',
  'not judged': 'none',
  'not triggered': 'none',
} as const;

/** `files`: from where the results are. */
export function pageOf(results: readonly GradeResult[], files: readonly string[] = []): string {
  const titles = distinguish(results.map(titleOf), files);
  const defects = new Map(results.flatMap((result) => result.defects.map((defect) => [defect.name, defect] as const)));
  const tiers = Map.groupBy(defects.values(), ({ tier }) => tier);
  const matrices = [...tiers].map(([tier, defects]) => {
    const rows = defects.map(({ name, does, ruleIn }) => {
      const rule = ruleIn === 'schema' ? 'rule in a schema' : 'rule only in prose';
      const cells = results.map((result) => cellOf(result.defects.find((one) => one.name === name)));
      return row(name, `${does} (${rule})`, cells);
    });
    return matrix(`Tier ${tier}`, 'Defect', titles, rows);
  });
  const [only] = titles.length === 1 ? titles : [];
  const summaries = results.map((result, i) => summaryOf(result, only === undefined ? titles[i] : undefined));
  const body = html`${lines(summaries)}
<h2>How to read the table</h2>
<p>${only === undefined ? 'Each' : 'The'} tester ran on services that are each wrong in one known way, and on the clean
service. A cell has the result, the number of runs that noticed and named the defect, and the
exposure: when the defect first
showed, as the median of the runs.</p>
<ul>
<li>${SYMBOLS.found} found: runs noticed the defect more often than luck explains.</li>
<li>${SYMBOLS.noticed} noticed: at least one run noticed the defect, which may be luck.</li>
<li>${SYMBOLS.missed} missed: a request triggered the defect, but the tester did not notice it.</li>
<li>${SYMBOLS['not judged']} not judged: no run that triggered the defect has a readable report.</li>
<li>${SYMBOLS['not triggered']} not triggered: no request triggered the defect.</li>
</ul>
<h2>Defect by defect</h2>
${lines(matrices)}
<h2>How ${only === undefined ? 'the testers' : 'the tester'} ran</h2>
${lines(results.map((result, i) => testerOf(result, titles[i] ?? '')))}`;
  const heading = only === undefined ? 'What API testers find' : `What ${only} finds`;
  return matrixPage(`What ${titles.join(', ')} noticed`, heading, body);
}

/** What a reader wants first: the score, and of which tester, command and time it is. */
function summaryOf(result: GradeResult, title: string | undefined): Html {
  const { tester, defects, options, falseAlarms, runs, service, endedAt, planted, halt } = result;
  const controls = runs.filter(({ defect }) => defect === null).length;
  const alarms = `${falseAlarms.length} of ${countOf(controls, 'control')} had a false alarm`;
  const cut = halt === null ? '' : ` Only ${defects.length} of ${planted} defects were graded.`;
  return html`${title === undefined ? '' : html`<h2>${title}</h2>`}
<p class="score">${sumOf(defects, options.seeds)}.${cut} ${alarms}.</p>
<p><code>${tester.command.join(' ')}</code></p>
<p>${titleOf(result)} on ${service.name} ${service.version}, ${endedAt.slice(0, 16).replace('T', ' ')} UTC,
${countOf(options.seeds, 'seed')}</p>`;
}

function cellOf(defect: DefectResult | undefined): Html {
  if (defect === undefined) return cell('none', 'not graded');
  const { outcome, noticed, named, exposure } = defect;
  const rate = `in ${noticed.runs} of ${noticed.of} runs, named in ${named.runs}`;
  const shown = exposure && `shown in request ${exposure.requests}, after ${seconds(exposure.milliseconds)}`;
  const details = [...(noticed.runs === 0 ? [] : [rate]), ...(shown === undefined ? [] : [shown])];
  return cell(COLOURS[outcome], `${SYMBOLS[outcome]} ${outcome}`, details);
}

function testerOf(result: GradeResult, title: string): Html {
  const { tester, service, environment, options, runs, falseAlarms, groundless, short, reached, tiers } = result;
  const controls = runs.filter(({ defect }) => defect === null);
  const facts: Readonly<Record<string, Part>> = {
    'Judged by': tester.findings,
    Seeds: `${options.seeds}, with ${controls.length} controls`,
    'False alarms':
      `${falseAlarms.length} of ${controls.length} controls, ` +
      `and ${groundless.length} runs that did not trigger their defect`,
    'Short runs': String(short.length),
    'Median of the controls':
      `${median(controls.map(({ counts }) => counts.requests)) ?? 0} requests ` +
      `in ${seconds(median(controls.map(({ testerMilliseconds }) => testerMilliseconds)) ?? 0)}`,
    'Statuses reached on the clean service': reachedOf(reached),
    'Plant Store': [environment.plantStore, environment.commit?.slice(0, 12)].filter(Boolean).join(', commit '),
    Service: `${service.name} ${service.version}`,
    Description: html`SHA-256 <code>${service.description}</code>`,
    Machine: `${environment.cores} × ${environment.cpu}, ${environment.platform}, Node ${environment.node}`,
    Variants: options.variants === undefined ? 'as published' : `seed ${options.variants}`,
    Started: result.startedAt,
    Ended: result.endedAt,
  };
  const rows = Object.entries(facts).map(
    ([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`,
  );
  const isOnce = options.seeds === 1;
  const numbers = tiers.flatMap(({ tier, schema, prose }) =>
    [['in a schema', schema] as const, ['only in prose', prose] as const].flatMap(([rule, cell]) => {
      const shown = [cell.planted, cell.triggered, isOnce ? cell.noticed : cell.found, cell.named];
      const cells = shown.map((number) => html`<td>${number}</td>`);
      return cell.planted === 0 ? [] : [html`<tr><th scope="row">${tier}, rule ${rule}</th>${cells}</tr>`];
    }),
  );
  const heads = ['Tier', 'Planted', 'Triggered', isOnce ? 'Noticed' : 'Found', 'Named'];
  return html`<h3>${title}</h3>
${table(`${title}: numbers of defects`, columnHeads(heads), numbers)}
${table(`${title}: how it ran`, columnHeads(['What', 'Value']), rows)}`;
}

/** For example "getPlant 200 404; listPlants 200". */
function reachedOf(pairs: readonly string[]): string {
  const byOperation = Map.groupBy(pairs, (pair) => pair.split(' ')[0]);
  return [...byOperation]
    .map(([operation, pairs]) => [operation, ...pairs.map((pair) => pair.split(' ')[1])].join(' '))
    .join('; ');
}

const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(milliseconds < 10_000 ? 2 : 0)} s`;
