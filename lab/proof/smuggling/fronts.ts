/** The proxies between the clients and the service, as Debian packages them, each with shared connections to it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../grade/receiver/free-port.ts';

export interface Front {
  readonly name: string;
  readonly port: number;
  /** What the front logged: a line for each request that it saw. */
  log(): string;
  close(): Promise<void>;
}

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** nginx as docs/proxy.md configures it, without TLS. */
function nginx(): string {
  const example = /```nginx\n([\s\S]*?)```/.exec(read('../../../docs/proxy.md'))?.[1] ?? '';
  const server = example
    .replace('listen 443 ssl', 'listen 127.0.0.1:FRONT')
    .replace('server 127.0.0.1:8080', 'server 127.0.0.1:SERVICE')
    .replace(/ +ssl_.*\n/g, '');
  return (
    'daemon off; worker_processes 1; pid DIRECTORY/nginx.pid; events {}\n' +
    `http { access_log /dev/stdout; client_body_temp_path DIRECTORY/body; ${server} }\n`
  );
}

const PROXIES: Readonly<Record<string, { config(): string; command(file: string, directory: string): string[] }>> = {
  nginx: {
    config: nginx,
    command: (file, directory) => ['/usr/sbin/nginx', '-p', directory, '-e', 'stderr', '-c', file],
  },
  haproxy: { config: () => read('haproxy.cfg'), command: (file) => ['/usr/sbin/haproxy', '-db', '-f', file] },
  httpd: { config: () => read('httpd.conf'), command: (file) => ['/usr/sbin/apache2', '-D', 'FOREGROUND', '-f', file] },
};

export const FRONTS = Object.keys(PROXIES);

/** Starts the proxy in front of the service on `servicePort`. Throws if it does not listen within 10 s. */
export async function startFront(name: string, servicePort: number, directory: string): Promise<Front> {
  const proxy = PROXIES[name];
  if (proxy === undefined) throw new Error(`there is no front ${name}`);
  const port = await freePort();
  const file = join(directory, `${name}.conf`);
  const values = { FRONT: String(port), SERVICE: String(servicePort), DIRECTORY: directory };
  writeFileSync(
    file,
    Object.entries(values).reduce((text, [key, value]) => text.replaceAll(key, value), proxy.config()),
  );
  const [program = '', ...args] = proxy.command(file, directory);
  // A file, because nginx and httpd open /dev/stdout by its name, which fails for a pipe of Node.
  const output = join(directory, `${name}.log`);
  const descriptor = openSync(output, 'a');
  const child = spawn(program, args, { stdio: ['ignore', descriptor, descriptor] });
  closeSync(descriptor);
  const log = () => readFileSync(output, 'latin1');
  await untilListening(port, child, log);
  return {
    name,
    port,
    log,
    async close() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

async function untilListening(port: number, child: ChildProcess, log: () => string): Promise<void> {
  for (let left = 200; left > 0; left--) {
    if (child.exitCode !== null) throw new Error(log());
    const socket = connect({ port, host: '127.0.0.1' });
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await sleep(50);
  }
  throw new Error(`no one listens on ${port}: ${log()}`);
}

/** A control: a proxy that sends the bytes of all clients through one connection, without reading them. */
export async function startSharedConnection(servicePort: number): Promise<Front> {
  let service: Socket | undefined;
  let last: Socket | undefined;
  const server = createServer((client) => {
    last = client.on('error', () => undefined);
    client.on('data', (bytes) => {
      if (service === undefined || !service.writable) {
        service = connect({ port: servicePort, host: '127.0.0.1' }).on('error', () => undefined);
        service.on('data', (response) => last?.write(response));
      }
      service.write(bytes);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    name: 'shared connection',
    port: address.port,
    log: () => '',
    async close() {
      server.close();
      service?.destroy();
    },
  };
}
