/**
 * Recognises the variables that Kubernetes and Docker set for a Service or a linked container. Its name is
 * `plantstore`, or begins with `plantstore-`.
 */

/** For example `tcp://10.0.0.1:80`. */
const ADDRESS = /^(?:tcp|udp|sctp):\/\/\S+:\d{1,5}$/;

/** For example PLANTSTORE_SERVICE_HOST, PLANTSTORE_PORT_8080_TCP_ADDR and Docker's PLANTSTORE_ENV_PATH. */
const OTHER_VARIABLES = /_SERVICE_HOST$|_SERVICE_PORT(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)|_ENV_/;

/**
 * Whether a platform set the variable to describe another container, so that it is not an option. Kubernetes sets
 * PLANTSTORE_PORT=tcp://10.0.0.1:80 for the Service `plantstore`:
 * https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables.
 * Docker's --link also sets PLANTSTORE_NAME=/web/plantstore. None of their other variables has the name of an option.
 */
export function isServiceLink(variable: string, value: string): boolean {
  if (OTHER_VARIABLES.test(variable)) return true;
  if (variable.endsWith('_PORT')) return ADDRESS.test(value);
  const [, alias] = /^\/[^/]+\/([\w.-]+)$/.exec(value) ?? [];
  return alias !== undefined && variable === `${alias.toUpperCase().replaceAll(/[.-]/g, '_')}_NAME`;
}
