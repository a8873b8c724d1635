/** Finds the word that a user probably mistyped. */

/** The most letters that may differ. */
const MAX_DISTANCE = 2;

/** Returns the candidate with the fewest insertions, deletions and replacements, or undefined if none is near. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let found: string | undefined;
  let least = Math.min(MAX_DISTANCE, Math.floor(word.length / 2)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const distance = distanceBetween(word, candidate);
    if (distance < least) [found, least] = [candidate, distance];
  }
  return found;
}

/** Returns the nearest candidate as the end of a message, or an empty string if none is near. */
export function suggest(word: string, candidates: Iterable<string>): string {
  const meant = nearest(word, candidates);
  return meant === undefined ? '' : ` (did you mean ${meant}?)`;
}

/** Computes the Levenshtein distance, one row of the table at a time. */
function distanceBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
