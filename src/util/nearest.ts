/** Finds the word that a user probably mistyped. */
import { closestMatch } from 'leven';

/** The most insertions, deletions and replacements of letters. */
const MAX_DISTANCE = 2;

export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  return closestMatch(word, [...candidates], { maxDistance: Math.min(MAX_DISTANCE, Math.floor(word.length / 2)) });
}

/** Returns the nearest candidate as the end of a message, or an empty string if none is near. */
export function suggest(word: string, candidates: Iterable<string>): string {
  const meant = nearest(word, candidates);
  return meant === undefined ? '' : ` (did you mean ${meant}?)`;
}
