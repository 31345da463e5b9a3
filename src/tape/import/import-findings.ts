// The findings of an import: everything unusual, counted by kind, with its handling and the first few places. Must
// never let a row be left out, or changed, without a count.
import type { ImportPlace } from './import-fault.ts';
import type { NoteListener } from './import-wire.ts';

/** Every kind of finding, and its usual handling. */
const RESOLUTIONS = {
  'bad-row': 'left out',
  'unknown-column': 'not read',
  'unknown-member': 'not read; the rest of the message was read',
  'unknown-message': 'left out',
  'unknown-market': 'left out: no book of it came before',
  'back-in-time': 'kept in its place, dated like the row before it',
  'ambiguous-time': 'the clock showed this time twice: the first was taken, unless the rows were past it already',
  'nonexistent-time': 'left out: the clock of the time zone never showed it; is the time zone right?',
  duplicate: 'kept',
  'doubled-trade-id': 'left out: the id came before',
  'unchanged-quote': 'kept: it confirms the quote',
  'crossed-quote': 'not used: the book counts as unknown until the next quote of the market',
  'locked-quote': 'not used: the book counts as unknown until the next quote of the market',
  'crossed-book': 'kept as recorded',
  'locked-book': 'kept as recorded',
  'negative-level': 'kept as recorded; a message is missing: the book counts as unknown until its next snapshot',
  'sequence-gap': 'the books concerned count as unknown until their next snapshot',
  'unreadable-frame': 'the books concerned count as unknown until their next snapshot',
  'unread-message': 'left out: it could not be read; it concerns no book',
  'lost-messages': 'they cannot be replaced; no book is concerned',
  reconnect: 'every book counts as unknown until its next snapshot',
  'boundary-change': 'taken for the book: the snapshot alone holds the change of one level',
  'snapshot-differs':
    'taken for the book; messages before it are missing: where more than one level differs, the book counts as unknown from ' +
    'the row before it',
  'private-message': 'left out: it concerns an account',
  'off-book-trade': 'left out: it did not go through the book',
  'sent-command': 'its request was read; the line itself is not put on the tape',
  'untimed-line': 'dated like the line before it',
} as const;
export type ImportFindingKind = keyof typeof RESOLUTIONS;

/** One occurrence. */
export interface FindingExample extends ImportPlace {
  /** The expected and found values, or a description. */
  readonly what: string;
}

/** All occurrences of one kind. */
export interface ImportFinding {
  readonly kind: ImportFindingKind;
  readonly count: number;
  /** Handling of each occurrence. */
  readonly resolution: string;
  /** The first few occurrences. */
  readonly examples: readonly FindingExample[];
}

const EXAMPLES_MAX = 5;

interface Tally {
  count: number;
  readonly examples: FindingExample[];
}

/** Counts findings. */
export class Findings {
  readonly #byKind = new Map<ImportFindingKind, Tally>();
  readonly #resolutions = new Map<ImportFindingKind, string>();

  addFinding(kind: ImportFindingKind, place: ImportPlace, what: string): void {
    let tally = this.#byKind.get(kind);
    if (tally === undefined) this.#byKind.set(kind, (tally = { count: 0, examples: [] }));
    tally.count += 1;
    if (tally.examples.length < EXAMPLES_MAX) tally.examples.push({ file: place.file, line: place.line, what });
  }

  /** Sets another handling for a kind. */
  setResolution(kind: ImportFindingKind, resolution: string): void {
    this.#resolutions.set(kind, resolution);
  }

  countOf(kind: ImportFindingKind): number {
    return this.#byKind.get(kind)?.count ?? 0;
  }

  /** All kinds that occurred, by their first occurrence. */
  listFindings(): readonly ImportFinding[] {
    return [...this.#byKind].map(([kind, { count, examples }]) => {
      return { kind, count, resolution: this.#resolutions.get(kind) ?? RESOLUTIONS[kind], examples };
    });
  }
}

/** The counts that notes on an answer add to. */
interface NoteCounts {
  readonly findings: Findings;
  readonly countRow: () => void;
}

/** Counts the notes on an answer as findings, and a record that is left out as a row that was read. */
export const noteListenerAt =
  (place: ImportPlace, { findings, countRow }: NoteCounts): NoteListener =>
  (kind, detail) => {
    const isMember = /^(field|value) /.test(kind);
    if (!isMember) countRow();
    findings.addFinding(isMember ? 'unknown-member' : 'bad-row', place, `${kind}: ${detail}`);
  };

const FOUND_MAX = 60;

/** Formats a value as JSON, cut to `FOUND_MAX` characters. */
export function foundText(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > FOUND_MAX ? `${text.slice(0, FOUND_MAX)}…` : text;
}
