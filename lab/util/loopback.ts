/** Keeps proxies away from the services on this machine, which a proxy cannot reach, or would answer for. */

const NAMES = ['no_proxy', 'NO_PROXY'];
const HOSTS = ['localhost', '127.0.0.1', '::1'];

/** Adds this machine to the list of hosts without a proxy, for the fetch of this process and for its children. */
export function bypassProxies(env: NodeJS.ProcessEnv): void {
  const listed = NAMES.flatMap((name) => (env[name] ?? '').split(/[\s,]+/)).filter(Boolean);
  // Most programs understand * only alone.
  const hosts = listed.includes('*') ? '*' : [...new Set([...listed, ...HOSTS])].join();
  for (const name of NAMES) env[name] = hosts;
}
