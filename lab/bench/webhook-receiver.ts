/** A process with a receiver of webhooks. The path decides what it does with a message. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { offer } from './attacks/task-process.ts';

const SLOW_MS = 100;

const answers = {
  '/quick': (response: ServerResponse) => response.writeHead(204).end(),
  '/slow': (response: ServerResponse) => setTimeout(() => response.writeHead(204).end(), SLOW_MS),
  '/failing': (response: ServerResponse) => response.writeHead(500).end(),
} as const;
export type Path = keyof typeof answers;

const tasks = {
  /** Returns the URL without a path. */
  async listen(): Promise<string> {
    const server = createServer((request, response) => {
      request.resume().once('end', () => answers[request.url as Path](response));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
};

export type Receiver = typeof tasks;

offer(tasks);
