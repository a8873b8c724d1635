/** The files that are made from docs, and from the program itself. */
import { proofPage } from '../../lab/proof/proof-page.ts';
import { findChecks, readRuns } from '../../lab/proof/record.ts';
import { defectsPages } from './defects-pages.ts';
import { guide } from './guide.ts';
import { pagesWithOperations } from './operations.ts';
import { commandsPage, errorsPage } from './pages.ts';

/** Resolves to the texts of the files by their paths. */
export async function pageFiles(): Promise<Readonly<Record<string, string>>> {
  const pages = {
    'docs/commands.md': commandsPage(),
    'docs/errors.md': await errorsPage(),
    ...defectsPages(),
    ...pagesWithOperations(),
    'docs/proof.md': proofPage(findChecks(), readRuns()),
  };
  return { ...pages, 'src/page/guide.gen.json': guide(pages) };
}
