/** Runs testssl.sh against the TLS of the service itself. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { createDirectory } from '../../../test/harness/directory.ts';
import { serveProcess } from '../../../test/harness/process.ts';
import { freePort } from '../../grade/receiver/free-port.ts';
import { versionsOf } from '../debian.ts';
import { createViolations, runCheck, say } from '../outcome.ts';

/** Findings above LOW that are accepted. */
const ACCEPTED: Readonly<Record<string, string>> = {
  BREACH: 'Only pages and scripts that are the same for everyone are compressed. They contain no secret.',
};
const ABOVE_LOW = ['MEDIUM', 'HIGH', 'CRITICAL', 'FATAL'];
/** Kinds of ciphers. */
const SHORT = ['--std'];
/** A certificate as today's authorities issue it. */
const CERTIFICATE = [
  ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '90'],
  ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-addext', 'extendedKeyUsage=serverAuth'],
  ...['-addext', 'crlDistributionPoints=URI:http://localhost/revoked'],
];

interface Finding {
  readonly id: string;
  readonly severity: string;
  readonly finding: string;
}

await runCheck(async ({ short, control }) => {
  const violations = createViolations();
  using directory = createDirectory();
  const [cert, key, report] = [directory.at('cert.pem'), directory.at('key.pem'), directory.at('report.json')];
  execFileSync('openssl', [...CERTIFICATE, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const port = await freePort();
  const stop = await (control === undefined ? startService : startOldTls)(port, cert, key);
  const options = ['--quiet', '--color', '0', '--warnings', 'off', '--add-ca', cert, '--jsonfile', report];
  const args = [...options, ...(short ? SHORT : []), `https://localhost:${port}`];
  await once(spawn('testssl', args, { stdio: ['ignore', 2, 2] }), 'close');
  await stop();
  const findings: readonly Finding[] = JSON.parse(readFileSync(report, 'utf8'));
  for (const { id, severity, finding } of findings) {
    if (!ABOVE_LOW.includes(severity)) continue;
    if (ACCEPTED[id] === undefined) violations.add(`${severity}: ${id}: ${finding}`);
    else say(`accepted: ${id}: ${ACCEPTED[id]}`);
  }
  return { counts: { findings: findings.length }, versions: versionsOf('testssl.sh'), ...violations.result() };
});

async function startService(port: number, cert: string, key: string) {
  const address = ['--port', String(port), '--base-url', 'https://plants.example'];
  const service = await serveProcess([...address, '--database', 'temporary', '--tls-cert', cert, '--tls-key', key]);
  return () => service.stop('SIGTERM');
}

/** A control: a server that also accepts TLS 1.0 and ciphers that encrypt nothing. */
async function startOldTls(port: number, cert: string, key: string) {
  const pair = { cert: readFileSync(cert), key: readFileSync(key) };
  const server = createServer({ ...pair, minVersion: 'TLSv1', ciphers: 'ALL:eNULL:@SECLEVEL=0' });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return async () => void server.close();
}
