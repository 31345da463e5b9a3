// What a person must know of an import before using its tape: what is mostly missing, and what can be done about it.
// Must never pass an import whose books are unknown most of the time.
import type { ImportCoverage } from './book-coverage.ts';
import type { Finding, FindingKind } from './findings.ts';

/** What an import came to. */
export interface Verdict {
  /** Sentences with a remedy each; none where all is well. */
  readonly warnings: readonly string[];
  /** Whether most of the files counts as unknown, so that the tape is hardly good for anything. */
  readonly isMostlyUnknown: boolean;
}

/** What it is judged by. */
export interface Judged {
  readonly read: number;
  /** Rows on the tape. */
  readonly rows: number;
  readonly coverage: ImportCoverage;
  readonly findings: readonly Finding[];
  /** The dialect that does not follow numbers, where this one does; `null` otherwise. */
  readonly unnumbered: string | null;
}

/** Books that are known for less of their time are mostly unknown. */
const COVERAGE_MIN = 0.5;
/** More missing numbers than these, and for each message, do not come from messages that were lost. */
const GAPS_MAX = 10;
const GAP_SHARE_MAX = 0.01;
const LEFT_OUT_SHARE_MAX = 0.5;
const DISORDER_SHARE_MAX = 0.1;

/** Kinds that leave a row or message out because nothing could be made of it. */
const LEFT_OUT: readonly FindingKind[] = [
  'bad-row',
  'nonexistent-time',
  'unknown-market',
  'unknown-message',
  'unread-message',
  'unreadable-frame',
];

/** One warning, and whether it says that most is unknown. */
interface Warning {
  readonly text: string;
  readonly isMost: boolean;
}

export function verdictOf(judged: Judged): Verdict {
  const warnings = [nothing(judged), missingNumbers(judged), unknownBooks(judged), leftOut(judged), disorder(judged)];
  const given = warnings.filter((warning) => warning !== null);
  return { warnings: given.map(({ text }) => text), isMostlyUnknown: given.some(({ isMost }) => isMost) };
}

const countOf = ({ findings }: Judged, ...kinds: readonly FindingKind[]): number =>
  findings.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { count }) => sum + count, 0);

function nothing({ rows }: Judged): Warning | null {
  if (rows > 0) return null;
  return { text: 'Nothing is on the tape: are the files of this format?', isMost: true };
}

function missingNumbers(judged: Judged): Warning | null {
  const gaps = countOf(judged, 'sequence-gap');
  const { read, unnumbered } = judged;
  if (gaps <= Math.max(GAPS_MAX, GAP_SHARE_MAX * read)) return null;
  const remedy =
    unnumbered === null
      ? ''
      : ` Where the capture was split by market or filtered, nothing is missing: import it with --dialect ${unnumbered}.`;
  return {
    text: `Numbers are missing ${gaps} times in ${read} messages; each time voids books.${remedy}`,
    isMost: true,
  };
}

function unknownBooks({ coverage: { share } }: Judged): Warning | null {
  if (share === null || share >= COVERAGE_MIN) return null;
  const text =
    `Books are known for ${percentText(share)} of the time in which they were recorded. A book is known from a snapshot ` +
    'to the next gap: the findings say what made the gaps, and a capture needs a snapshot after each.';
  return { text, isMost: true };
}

function leftOut(judged: Judged): Warning | null {
  const count = countOf(judged, ...LEFT_OUT);
  if (judged.rows === 0 || count <= LEFT_OUT_SHARE_MAX * judged.read) return null;
  const text = `${count} of ${judged.read} rows or messages were left out: the findings name the first ones, and why.`;
  return { text, isMost: true };
}

function disorder(judged: Judged): Warning | null {
  const count = countOf(judged, 'back-in-time');
  if (count <= DISORDER_SHARE_MAX * judged.read) return null;
  const text =
    `${count} of ${judged.read} rows are earlier than the row before them, and dated like that one. Captures of the same ` +
    'time are imported one by one, and put together with `presage tape merge`.';
  return { text, isMost: false };
}

const DIGITS = 2;

/** A share as a percentage; what is not all of it never looks like it. */
export function percentText(share: number): string {
  const percent = Math.floor(share * 100 * 10 ** DIGITS) / 10 ** DIGITS;
  return `${String(percent)} %`;
}
