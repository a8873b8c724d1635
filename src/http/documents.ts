/** The documents of an API, each from one file. http/pages.ts fills in the address of the server. */
import { readAsset } from '../util/assets.ts';
import type { ServedDocument } from './api.ts';

/** A generated form of a description, by its path below src. */
export function jsonDocument(path: string, file: string): ServedDocument {
  return { path, type: 'application/json', read: () => readAsset(file).toString() };
}

/** A description of the folder `contract`, with its comments and its layout. Only the server differs. */
export function yamlDocument(path: string, file: string): ServedDocument {
  return { path, type: 'application/yaml', read: () => withoutVariables(readAsset(`../contract/${file}`).toString()) };
}

/** The variables of the server, which some tools misread: they use the text `{base_url}` as the address. */
const VARIABLES = /^( {2}- url: .*\n {4}description: .*\n) {4}variables:\n(?: {6}.*\n)+/m;
/** The description that workflows are about. With its full address, a copy of the workflows finds it too. */
const SOURCE = /^( {4}url: )(openapi\.yaml)$/m;

function withoutVariables(yaml: string): string {
  return yaml.replace(VARIABLES, '$1').replace(SOURCE, '$1"{base_url}/$2"');
}
