/** Recognises the variables that Kubernetes and Docker set for a Service or a linked container called `plantstore`. */

/** For example `tcp://10.0.0.1:80`. */
const ADDRESS = /^(?:tcp|udp|sctp):\/\/\S+:\d{1,5}$/;

/**
 * Whether a platform set the variable to describe another container, so that it is not an option. Kubernetes sets
 * PLANTSTORE_PORT=tcp://10.0.0.1:80 for the Service `plantstore`:
 * https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables.
 * Docker's --link also sets PLANTSTORE_NAME=/web/plantstore. None of their other variables has the name of an option.
 */
export function isServiceLink(variable: string, value: string): boolean {
  if (variable.endsWith('_PORT')) return ADDRESS.test(value);
  const [, alias] = /^\/[^/]+\/([\w.-]+)$/.exec(value) ?? [];
  return alias !== undefined && variable === `${alias.toUpperCase().replaceAll(/[.-]/g, '_')}_NAME`;
}
