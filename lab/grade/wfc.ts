/** Web Fuzzing Commons (WFC): the reports that EvoMaster and Schemathesis write, and the users that they read. */
import type { Finding } from './finding.ts';
import { normalise } from './normalise.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The members that are read. The first versions of the format have names such as `found_faults`. */
interface Report {
  readonly faults?: { readonly totalNumber?: number; readonly foundFaults?: readonly Fault[] | null };
}

interface Fault {
  readonly operationId?: string | null;
  readonly faultCategories?: readonly {
    readonly id?: string;
    readonly code: number;
    readonly context?: string | null;
  }[];
}

/** Codes that were renumbered in WFC Faults 0.8.0, before categories got an `id`. */
const RENUMBERED: Readonly<Record<number, number>> = { 101: 200, 102: 206, 103: 113, 104: 114 };

/** Each category of each fault is a finding. */
export function readWfc(report: string, { words, operationIn }: Vocabulary): readonly Finding[] {
  const inCamelCase = report.replaceAll(/"([a-z]+(?:_[a-z]+)+)"(?=\s*:)/g, (_, name) => {
    return `"${name.replaceAll(/_(.)/g, (_: string, letter: string) => letter.toUpperCase())}"`;
  });
  const faults = (JSON.parse(inCamelCase) as Report | null)?.faults;
  if (typeof faults !== 'object' || faults === null)
    throw new Error('it is no report of Web Fuzzing Commons: it has no member faults');
  const found = faults.foundFaults ?? [];
  if (found.length === 0 && (faults.totalNumber ?? 0) > 0) return [{ text: 'failed' }];
  return found.flatMap(({ operationId, faultCategories }): readonly Finding[] => {
    const place = operationId ?? '';
    if (!faultCategories?.length) {
      const text = [normalise(place, words, true), 'failed'].filter(Boolean).join(' | ');
      return [{ text, operation: operationIn(place) }];
    }
    return faultCategories.map(({ id, code, context }): Finding => {
      const current = id === undefined ? (RENUMBERED[code] ?? code) : code;
      // The context usually repeats the operation: "GET:/plants/{id} -> ServerError".
      const message = normalise((context ?? '').replace(`${place} -> `, ''), words);
      const parts = [normalise(place, words, true), String(current), message].filter(Boolean);
      return { text: parts.join(' | '), operation: operationIn(place), code: current };
    });
  });
}

/** The users whose tokens are valid, as JSON, which is YAML too. Some testers use only the first user. */
export function writeWfcAuth(tokens: Readonly<Record<'token' | 'readToken' | 'otherToken', string>>): string {
  const users = { 'both-scopes': tokens.token, 'read-only': tokens.readToken, 'other-store': tokens.otherToken };
  const auth = Object.entries(users).map(([name, token]) => {
    return { name, fixedHeaders: [{ name: 'Authorization', value: `Bearer ${token}` }] };
  });
  return JSON.stringify({ schemaVersion: '0.2.0', auth }, null, 2);
}
