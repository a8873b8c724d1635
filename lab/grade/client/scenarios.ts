/** The scenarios, in the order of the table. Each happens in its own sandbox, by rules for faults. */
import type { Json } from '../../../src/contract/json.ts';
import type { NewPlant } from '../../../src/contract/openapi.generated.ts';
import { OPERATIONS, type Scenario, type Task } from './scenario.ts';

const plant = (id: bigint, name: string, tag?: string): NewPlant => ({ id, name, ...(tag !== undefined && { tag }) });
const ALOE = plant(12n, 'Aloe vera', 'succulent');
const AGAVE = plant(12n, 'Agave', 'succulent');
const BIG = plant(2n ** 53n + 1n, 'Monstera');
const HIGHEST = plant(2n ** 63n - 1n, 'Sequoia');
const EMOJI = plant(12n, 'Aloë 🌵 العربية', 'succulent 🪴');
const plants = (first: number, count: number): readonly NewPlant[] =>
  Array.from({ length: count }, (_, i) => plant(BigInt(first + i), `Plant ${first + i}`));

const task = (kind: Task['kind'], one: NewPlant): Task => ({ kind, plant: one });
const [POST, PUT, DELETE] = [task('create', ALOE), task('replace', AGAVE), task('delete', ALOE)];
const [GET, LIST] = [task('get', ALOE), task('list', ALOE)];
const PUT_IF: Task = { ...PUT, isConditional: true };
const DELETE_IF: Task = { ...DELETE, isConditional: true };

type Fault = Readonly<Record<string, Json>>;
const status = (status: number): Fault => ({ kind: 'status', status });
const proxy = (status: number, more: Fault = {}): Fault => ({ kind: 'proxy', status, ...more });
const html = (status: number) => proxy(status, { media: 'html', body: '<html><h1>Bad Gateway</h1></html>' });
const cut = (more: Fault = {}): Fault => ({ kind: 'truncate', ...more });
const RESET: Fault = { kind: 'reset' };
const RESET_REUSED: Fault = { kind: 'reset', connection: 'reused' };
const CLOSE_REUSED: Fault = { kind: 'close', connection: 'reused' };
const SILENCE = cut({ bytes: 0, ms: 5_000 });
/** Longer than an attempt may take. */
const LATE: Fault = { kind: 'delay', ms: 2_500 };
const LATE_WRITE: Fault = { ...LATE, leave: 'continue' };

interface More extends Partial<Scenario> {
  readonly when?: 'afterCommit';
  /** How often the fault happens. Default: 1. */
  readonly times?: number;
}
const AFTER: More = { when: 'afterCommit' };
const FOREVER = 1_000_000;
const WAIT: More = { retryAfter: 1_000 };
const RACE: Fault = { kind: 'race', other: 'replace' };
const OTHER: More = { other: plant(12n, 'Another client') };
/** A GET before the task opens the connection. */
const REUSED: More = { first: LIST };
const PAGES: More = { times: FOREVER, plants: plants(1, 250), added: plants(1_001, 40) };
const REFUSED: More = { right: 'failure' };
/** The time of the slow body and of LATE, less some time for the machine. */
const SLOW: More = { maxAttempt: 2_000 };
const LIKE_LATE: More = { ...SLOW, pair: 'post-late' };

type Row = readonly [name: string, does: string, task: Task, fault?: Fault | undefined, more?: More];

/** The same fault before the operation and after its commit. The client cannot see the difference. */
const both = (name: string, does: string, task: Task, fault: Fault, more?: More): readonly Row[] => [
  [`${name}-before`, `${does} It was not carried out.`, task, fault, { pair: name, ...more }],
  [`${name}-after`, `${does} It was carried out.`, task, fault, { pair: name, ...more, ...AFTER }],
];

/** Another client acts after the commit, and the response is lost. */
const raced = (name: string, request: string, task: Task, other: 'replace' | 'recreate'): Row => [
  name,
  `The response to a ${request} is lost. Another client ${other === 'replace' ? 'replaces' : 'creates'} the plant.`,
  task,
  { ...RESET, other },
  { ...AFTER, ...OTHER },
];

const ROWS: readonly Row[] = [
  // Error statuses.
  ['post-503-twice', 'POST gets 503 twice.', POST, status(503), { ...WAIT, times: 2 }],
  ['post-503-forever', 'POST always gets 503.', POST, status(503), { ...WAIT, times: FOREVER, right: 'open' }],
  ['post-500-once', 'POST gets 500 once.', POST, status(500)],
  ['post-429-seconds', 'POST gets 429 with Retry-After in seconds.', POST, proxy(429, { retry: 1 }), WAIT],
  ['post-429-date', 'POST gets 429 with Retry-After as a date.', POST, proxy(429, { retry: 2, form: 'date' }), WAIT],
  ['post-408', 'POST gets 408 once.', POST, proxy(408)],
  ['post-425', 'POST gets 425 once.', POST, proxy(425)],
  ['post-502-empty', 'POST gets 502 with an empty body.', POST, proxy(502)],
  ['post-502-html', 'POST gets 502 with a body in HTML.', POST, html(502)],
  ...both('post-504-html', 'POST gets 504 with a body in HTML.', POST, html(504)),
  ...both('post-503', 'POST gets 503.', POST, status(503), WAIT),
  ...both('put-if-match-503', 'PUT with If-Match gets 503.', PUT_IF, status(503), WAIT),
  ...both('delete-503', 'DELETE gets 503.', DELETE, status(503), WAIT),
  ['get-503-twice', 'GET gets 503 twice.', GET, status(503), { ...WAIT, times: 2 }],
  // Connections that are reset or closed.
  ...both('post-reset', 'The new connection of a POST is reset.', POST, RESET),
  ...both('post-reset-reused', 'A used connection is reset as POST arrives.', POST, RESET_REUSED, REUSED),
  ...both('put-reset', 'The connection of a PUT is reset.', PUT, RESET),
  ...both('put-if-match-reset', 'The connection of a PUT with If-Match is reset.', PUT_IF, RESET),
  ...both('delete-reset', 'The connection of a DELETE is reset.', DELETE, RESET),
  ...both('delete-if-match-reset', 'The connection of a DELETE with If-Match is reset.', DELETE_IF, RESET),
  ['get-reset', 'The connection of a GET is reset.', GET, RESET],
  ['post-idle-closed', 'An idle connection closes as POST arrives.', POST, CLOSE_REUSED, REUSED],
  ['get-idle-closed', 'An idle connection closes as GET arrives.', GET, CLOSE_REUSED, REUSED],
  // Responses that end too early, are slow or stop.
  ['get-cut', 'The body of a GET is cut. Content-Length shows it.', GET, cut()],
  ['get-cut-chunked', 'The body of a GET is cut between chunks.', GET, cut({ framing: 'chunked' })],
  ['get-cut-close', 'The body of a GET is cut. Only its JSON shows it.', GET, cut({ framing: 'close' })],
  ['get-cut-head', 'The response to a GET ends inside its head.', GET, cut({ part: 'head' })],
  ['list-cut', 'A page of a list is cut.', LIST, cut(), { plants: plants(1, 50) }],
  ['post-cut', 'POST is carried out, but the body of its response is cut.', POST, cut()],
  ['put-if-match-cut', 'PUT with If-Match is carried out, but the body of its response is cut.', PUT_IF, cut()],
  ['get-slow', 'The body of a GET takes longer than an attempt may.', GET, { kind: 'slow', rate: 20 }, SLOW],
  ['get-silent', 'The head of the response to a GET arrives, then nothing.', GET, SILENCE],
  ['post-silent', 'POST is carried out. The head of its response arrives, then nothing.', POST, SILENCE],
  // Later than the client waits.
  ...both('post-late', 'POST takes longer than an attempt may.', POST, LATE, SLOW),
  ['post-late-write', 'POST is carried out when its client has left.', POST, LATE_WRITE, LIKE_LATE],
  ...both('put-if-match-late', 'PUT with If-Match takes longer than an attempt may.', PUT_IF, LATE, SLOW),
  ['get-late', 'GET takes longer than an attempt may.', GET, LATE, SLOW],
  // Another client acts between the attempts.
  raced('put-raced', 'PUT', PUT, 'replace'),
  raced('put-if-match-raced', 'PUT with If-Match', PUT_IF, 'replace'),
  raced('post-raced', 'POST', POST, 'replace'),
  raced('delete-raced', 'DELETE', DELETE, 'recreate'),
  raced('delete-if-match-raced', 'DELETE with If-Match', DELETE_IF, 'recreate'),
  // Refused for good.
  ['post-400', 'Another plant has the id.', task('create', AGAVE), undefined, { plants: [ALOE], ...REFUSED }],
  ['get-404', 'There is no such plant.', GET, undefined, { plants: [], ...REFUSED }],
  ['delete-404', 'There is no such plant.', DELETE, undefined, { plants: [], ...REFUSED }],
  ['put-412', 'Another client has replaced the plant.', PUT_IF, RACE, { ...OTHER, ...REFUSED }],
  // Data.
  ['post-big-id', 'A double cannot hold the id.', task('create', BIG)],
  ['get-big-id', 'A double cannot hold the id.', task('get', BIG), undefined, { plants: [BIG] }],
  ['get-highest-id', 'The id is the highest int64.', task('get', HIGHEST), undefined, { plants: [HIGHEST] }],
  ['post-emoji', 'The name has emoji, an umlaut and Arabic letters.', task('create', EMOJI)],
  ['pages', 'Another client adds plants while 250 plants are read.', LIST, { kind: 'delay', ms: 100 }, PAGES],
];

export const SCENARIOS: readonly Scenario[] = ROWS.map(([name, does, task, fault, more = {}]) => {
  const { when, times = 1, ...others } = more;
  const match = { operation: OPERATIONS[task.kind].id };
  const rules = fault === undefined ? [] : [{ fault, match, times, ...(when !== undefined && { when }) }];
  return { name, does, plants: task.kind === 'create' ? [] : [ALOE], task, rules, ...others };
});
