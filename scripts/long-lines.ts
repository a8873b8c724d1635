/** Prints each hand-written line of TypeScript that has more than 120 characters, and fails if there is one. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const MOST = 120;
const LIST = ['ls-files', '-z', '-co', '--exclude-standard', '*.ts', ':!*.generated.ts', ':!*.gen.ts'];

for (const file of execFileSync('git', LIST, { encoding: 'utf8' }).split('\0')) {
  // Git also lists the files that were removed since the last commit.
  if (file === '' || !existsSync(file)) continue;
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    const { length } = [...line];
    if (length <= MOST) continue;
    console.error(`${file}:${index + 1} has ${length} characters. At most ${MOST} are allowed: break the line.`);
    process.exitCode = 1;
  }
}
