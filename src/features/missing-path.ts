/** Where a client finds the paths that exist, for the message about a path that does not exist. */

const SANDBOXES = { description: '/sandbox/openapi.json', option: '--sandboxes' };
const EVENTS = { description: '/events/openapi.json', option: '--events' };
const WEBHOOKS = { description: '/webhooks/openapi.json', option: '--webhooks' };
/** The features that have paths of their own, by the first segment of these paths. */
const FEATURES = new Map([
  ['sandboxes', SANDBOXES],
  ['sandbox', SANDBOXES],
  ['events', EVENTS],
  ['webhooks', WEBHOOKS],
]);

/** Names the description that has such paths, or the option that adds them. `prefix`: the path of the base URL. */
export function whereToLook(path: string, pages: { has(path: string): boolean }, prefix: string): string {
  const { description = '/openapi.json', option = '' } = FEATURES.get(path.split('/')[1] ?? '') ?? {};
  if (option !== '' && !pages.has(description)) return `Only a service with the option ${option} has such a path`;
  return `${prefix}${description} describes the paths that exist`;
}
