/** Makes the list of the handlers of the store's API: `createPlant` is in `create-plant.ts`. */

/** Returns the unformatted text of the generated file. */
export function generateHandlers(file: string, document: object): string {
  const ids = idsOf(document).toSorted();
  const fileOf = (id: string) => id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `// Generated from ${file} by npm run generate. Do not edit.
import type { PlantHandlers } from './context.ts';
${ids.map((id) => `import { ${id} } from './${fileOf(id)}.ts';`).join('\n')}

export const handlers: PlantHandlers = { ${ids.join(', ')} };
`;
}

/** The operationIds of a description. */
export function idsOf(document: object): readonly string[] {
  const { paths } = document as { readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>> };
  return Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap((operation) => ('operationId' in operation ? [String(operation.operationId)] : []));
}
