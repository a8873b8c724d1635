/** What depends on members of Node that its documentation does not describe is in one folder, and has a test. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const FOLDER = 'src/http/connections/';

interface Use {
  readonly pattern: RegExp;
  /** How a file would write it. */
  readonly sample: string;
  /** The file and the title of the test that fails without it. Absent: the service has no such use. */
  readonly test?: readonly [file: string, title: string];
}

const USES: readonly Use[] = [
  {
    pattern: /\bhttpAllowHalfOpen\b/,
    sample: 'Object.assign(server, { httpAllowHalfOpen: true })',
    test: ['raw-socket-cases.ts', 'a client that stops sending after the request'],
  },
  {
    pattern: /\bdestroySoon\b/,
    sample: 'socket.destroySoon = () => end()',
    test: ['connections.test.ts', 'can read the refusal of a long body on a connection'],
  },
  {
    pattern: /\bprototype\.\w+\.(?:call|apply|bind)\(/,
    sample: 'NetServer.prototype.close.call(server)',
    test: [
      'connections.test.ts',
      'a response that is being sent when the service stops arrives whole, even if most of it was sent',
    ],
  },
  {
    // Events that only Node emits.
    pattern: /\b(?:socket|server|request|outgoing)\.emit\(/,
    sample: "socket.emit('resume')",
    test: ['connections.test.ts', 'gets its whole responses, and then a refusal if its next request is late'],
  },
  {
    pattern: /\b(?:kOnExecute|getCurrentBuffer|socket\.parser)\b/,
    sample: 'parser.getCurrentBuffer()',
    test: ['raw-socket-cases.ts', 'an Upgrade with another request behind it: only the first gets a response'],
  },
  {
    // Node's parser resumes a socket when it likes.
    pattern: /\.pause\(\)/,
    sample: 'socket.pause()',
    test: ['pipelines.test.ts', 'while many requests of an address wait, only its other connections are not read'],
  },
  {
    // Methods that Node itself calls.
    pattern: /\b(?:socket\.resume|request\.push) = /,
    sample: 'request.push = () => true',
    test: ['chunks.test.ts', 'takes no more memory than its bytes, also on many connections without a token'],
  },
  { pattern: /\bshouldKeepAlive\b/, sample: 'outgoing.shouldKeepAlive = false' },
  { pattern: /\w\)?\??\._[a-z]|\['_[a-z]/i, sample: 'socket._handle.fd' },
  { pattern: /\binternalBinding\b|process\.binding\b/, sample: "process.binding('http_parser')" },
];

/** The code of a file, without its comments. */
const codeOf = (text: string) => text.replaceAll(/\/\*.*?\*\/|(?<=^|\s)\/\/[^\n]*/gms, '');

const sources = globSync('src/**/*.ts').map((file) => ({ file, code: codeOf(readFileSync(file, 'utf8')) }));

for (const { pattern, sample, test: proof } of USES) {
  test(`only ${FOLDER} may contain ${sample}`, () => {
    // The control: the pattern finds the sample, but not within a comment.
    assert.match(codeOf(`const a = 1;\n${sample};`), pattern);
    assert.doesNotMatch(codeOf(`// ${sample}\n/* ${sample} */`), pattern);
    const files = sources.filter(({ code }) => pattern.test(code)).map(({ file }) => file.replaceAll('\\', '/'));
    assert.deepEqual(
      files.filter((file) => !file.startsWith(FOLDER)),
      [],
    );
    assert.equal(files.length > 0, proof !== undefined, 'whether the service uses it');
    if (proof === undefined) return;
    const [file, title] = proof;
    assert.ok(readFileSync(new URL(file, import.meta.url), 'utf8').includes(title), `${file} has no ${title}`);
  });
}
