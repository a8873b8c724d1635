/** The parameters of a postgres:// URL. docs/postgres.md lists the accepted ones. All others are refused by name. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { checkUrl, PARAMETERS, readConnection } from '../../../src/stores/postgres/url.ts';
import { refusedWith, runCommand, runHere } from '../../harness/process.ts';

const GUIDE = readFileSync(new URL('../../../docs/postgres.md', import.meta.url), 'utf8');
const at = (search: string) => `postgres://u:hunter2@h/d?${search}`;
const refuses = (search: string, line: RegExp) =>
  assert.throws(
    () => checkUrl(at(search)),
    (error) => {
      assert.ok(Error.isError(error));
      assert.match(error.message, line, search);
      assert.match(error.message, /^[\x20-\x7e]+$/);
      assert.doesNotMatch(error.message, /hunter2/);
      return true;
    },
  );

test('the tables of docs/postgres.md have every parameter that is accepted, with its values, and no other', () => {
  const codes = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  const named = new Map<string, Set<string>>();
  const [url = '', tls = ''] = ['## The URL', '## TLS'].map((title) => GUIDE.split(`${title}\n`)[1]?.split('\n## ')[0]);
  for (const [, first = '', second = ''] of url.matchAll(/^\| (`.+?) \| (.*?) \|/gm)) {
    for (const name of codes(first)) named.set(name, new Set([...(named.get(name) ?? []), ...codes(second)]));
  }
  assert.deepEqual([...named.keys()].sort(), Object.keys(PARAMETERS).sort());
  for (const [name, values] of named) {
    const given = name.startsWith('ssl') || name === 'uselibpqcompat' ? undefined : PARAMETERS[name];
    if (typeof given !== 'object') assert.equal(values.size > 0, false, name);
    else if (name !== 'client_encoding') assert.deepEqual([...values].sort(), [...given].sort(), name);
    for (const value of values) checkUrl(at(`${name}=${value}&sslmode=require`));
  }
  for (const mode of ['verify-full', 'verify-ca', 'require', 'prefer', 'no-verify', 'disable']) {
    assert.ok(tls.includes(mode), mode);
    checkUrl(at(`sslmode=${mode}`));
  }
});

test('the strings that providers and tools print are accepted', () => {
  for (const search of [
    'sslmode=require&channel_binding=require',
    'sslmode=require&pgbouncer=true&connect_timeout=15',
    'connect_timeout=10&application_name=plants&keepalives=1' +
      '&keepalives_idle=30&keepalives_interval=10&keepalives_count=5',
    'client_encoding=UTF8&gssencmode=disable&target_session_attrs=read-write',
    'client_encoding=utf-8&gssencmode=prefer&target_session_attrs=any&channel_binding=prefer',
    'sslmode=verify-full&options=--cluster%3Dplants-123',
    'options=-csearch_path%3Dplants&channel_binding=disable&sslmode=disable',
    'options=-csearch_path=plants',
  ]) {
    checkUrl(at(search));
  }
});

test('every other parameter is refused by its name, with what to do instead', async () => {
  for (const name of [
    ...['sslcrl', 'sslpassword', 'service', 'passfile', 'hostaddr', 'replication', 'requirepeer', 'load_balance_hosts'],
    ...['fallback_application_name', 'krbsrvname', 'pool_timeout', 'sslaccept', 'ApplicationName', 'tcp_user_timeout'],
  ]) {
    refuses(`${name}=1`, new RegExp(`^its parameter ${name} is not supported.*: its parameters must be among `));
  }
  for (const name of ['schema', 'currentSchema', 'search_path']) {
    refuses(
      `${name}=x`,
      new RegExp(`^its parameter ${name} is not supported.*: choose .* options=-csearch_path=NAME$`),
    );
  }
  refuses('sslmod=require', /^its parameter sslmod is not supported \(did you mean sslmode\?\): /);
  refuses('schema=public&connection_limit=5', /parameter schema .*; its parameter connection_limit .*--database-conn/);
  refuses('ssl=true', /parameter ssl .*use sslmode=verify-full/);
  refuses('SSLMODE=require', /parameter SSLMODE is not supported/);
  refuses('constructor=1', /parameter constructor is not supported/);
  const finished = await runHere(['serve'], { DATABASE_URL: at('schema=public') });
  refusedWith(finished, 2, /^plantstore: DATABASE_URL: its parameter schema is not supported/);
});

test('a part that may belong to a password is not repeated', () => {
  for (const search of ['hunter2', 'hunter2=', 'a%0Db=1', 'p%1b[2Jw=1', '=1', `${'x'.repeat(100)}=1`]) {
    refuses(search, /^a part behind its \? is not the name of a parameter$|control character/);
  }
});

test('a value that cannot be honoured is refused with the name of its parameter', () => {
  for (const [search, line] of [
    ['target_session_attrs=read-only', /^its target_session_attrs must be one of any, primary, read-write$/],
    ['target_session_attrs=prefer-standby', /^its target_session_attrs /],
    ['gssencmode=require', /^its gssencmode must be one of disable, prefer$/],
    ['client_encoding=LATIN1', /^its client_encoding must be one of UTF8/],
    ['client_encoding=auto', /^its client_encoding /],
    ['channel_binding=on', /^its channel_binding /],
    ['connect_timeout=soon', /^its connect_timeout must be a number/],
    ['connect_timeout=-1', /^its connect_timeout /],
    ['keepalives=yes', /^its keepalives /],
    ['keepalives_idle=1.5', /^its keepalives_idle /],
    ['port=http', /^its port /],
    ['sslnegotiation=never', /^its sslnegotiation /],
    ['pgbouncer=maybe', /^its pgbouncer /],
    ['host=a,b', /^it must name one host/],
    ['sslmode=allow', /^its sslmode must be one of /],
    ['application_name=a%0Ab', /control character/],
    ['host=a%0D', /control character/],
  ] as const) {
    refuses(search, line);
  }
  assert.throws(() => checkUrl('postgres://a:1,b:2/d'), /^Error: it must name one host/);
  assert.throws(() => checkUrl('postgres://u:hunter2@a,b/d'), /^Error: it must name one host/);
  assert.throws(() => checkUrl('postgres://h/d%0D'), /^Error: it contains a control character/);
  checkUrl('postgres://u:hunter%0D2,@h/d');
});

test('channel_binding=require needs a connection whose certificate and host are checked', () => {
  const required = 'channel_binding=require';
  const advice =
    /^its channel_binding=require needs sslmode=verify-full \(prefer, require and verify-ca mean the same here\)$/;
  for (const search of ['', 'sslmode=disable', 'sslmode=no-verify']) refuses(`${required}&${search}`, advice);
  refuses(`${required}&uselibpqcompat=true&sslmode=require`, /^its channel_binding=require needs sslmode=verify-full$/);
  refuses('sslmode=require&channel_binding=require&sslmode=disable', advice);
  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) checkUrl(at(`${required}&sslmode=${mode}`));
  checkUrl(at(`${required}&uselibpqcompat=true&sslmode=verify-full`));
});

test('the time to connect and the probes of idle connections are as the URL asks', () => {
  const read = (search: string) => readConnection(at(search), 2_000);
  assert.deepEqual(read(''), { connectionTimeoutMillis: 2_000, keepAlive: true, keepAliveInitialDelayMillis: 0 });
  assert.equal(read('connect_timeout=1').connectionTimeoutMillis, 1_000);
  for (const time of ['0', '2', '15', '999999']) {
    assert.equal(read(`connect_timeout=${time}`).connectionTimeoutMillis, 2_000);
  }
  assert.equal(read('keepalives=0').keepAlive, false);
  assert.equal(read('keepalives=1&keepalives_idle=30').keepAliveInitialDelayMillis, 30_000);
  assert.equal(readConnection('postgres://u@/d?keepalives=0', 2_000).keepAlive, false);
});

test('a URL of 128 KiB is checked in linear time', () => {
  // Quadratic work would take minutes, and the runner would end the test.
  for (const part of ['/', '?', '@', ',', '&', '%41', '=', '/?']) {
    for (const url of [`postgres://${part.repeat(131_072)}`, `postgres://h/d?a${part.repeat(131_072)}`]) {
      try {
        checkUrl(url);
      } catch (error) {
        assert.ok(Error.isError(error));
      }
    }
  }
});

test('a variable of libpq with a control character or a blank around it is refused by its name', async () => {
  for (const name of ['PGHOST', 'PGDATABASE', 'PGUSER']) {
    for (const value of ['loc\nal', 'local\r', ' local', 'lo\u001b[2Jcal']) {
      const finished = await runCommand(['check'], { DATABASE_URL: 'postgres:///d', [name]: value });
      refusedWith(finished, 2, new RegExp(`^plantstore: DATABASE_URL: ${name} has a control character, or a blank `));
    }
  }
});
