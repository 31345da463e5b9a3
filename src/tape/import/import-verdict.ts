// Judges an import before its tape is used: warns when most of something is missing, with remedies. Must never leave
// out the warning when books are unknown most of the time.
import type { ImportCoverage } from './books/book-coverage.ts';
import type { ImportFinding, ImportFindingKind } from './import-findings.ts';

/** Judgment of an import. */
export interface ImportVerdict {
  /** Warnings; empty when all is well. */
  readonly warnings: readonly string[];
  /** True: the tape is of little use. Most of its content is unknown or left out, or numbers are missing. */
  readonly isMostlyUnknown: boolean;
}

/** The facts for the verdict. */
export interface VerdictInput {
  readonly read: number;
  readonly coverage: ImportCoverage;
  readonly findings: readonly ImportFinding[];
  /** Name of the same dialect without sequence numbers; `null` when the dialect does not check them. */
  readonly unnumbered: string | null;
}

/** Least share of time in which the books must be known. */
const COVERAGE_MIN = 0.5;
/** This many gaps in the sequence numbers are usual. `GAP_SHARE_MAX` is the usual share of messages. */
const GAPS_MAX = 10;
const GAP_SHARE_MAX = 0.01;
const LEFT_OUT_SHARE_MAX = 0.5;
const DISORDER_SHARE_MAX = 0.1;
const DOUBLED_SHARE_MAX = 0.1;

/** Kinds of findings for rows or messages that could not be interpreted. */
const LEFT_OUT: readonly ImportFindingKind[] = [
  'bad-row',
  'nonexistent-time',
  'unknown-market',
  'unknown-message',
  'unread-message',
  'unreadable-frame',
];

/** The resolution of duplicates that are on the tape. */
const KEPT = 'kept';

/** One warning. `isMost`: the tape is of little use. */
interface Warning {
  readonly text: string;
  readonly isMost: boolean;
}

export function verdictOf(judged: VerdictInput): ImportVerdict {
  const judges = [missingNumbers, unknownBooks, leftOut, disorder, doubled];
  const issued = judges.map((judge) => judge(judged)).filter((warning) => warning !== null);
  return { warnings: issued.map(({ text }) => text), isMostlyUnknown: issued.some(({ isMost }) => isMost) };
}

/** Says why an import made no tape: how much was read, and what was found of each kind. */
export function nothingText(format: string, read: number, findings: readonly ImportFinding[]): string {
  const kinds = findings.map(({ kind, count, resolution, examples: [first] }) => {
    const line = first === undefined || first.line === null ? '' : `, line ${first.line}`;
    const example = first === undefined ? '' : `; first in ${first.file}${line}: ${first.what}`;
    return `\n  ${count} ${kind}: ${resolution}${example}`;
  });
  return (
    `expected files of ${format} with something for a tape, found nothing: of ${read} rows or messages, none could be used. ` +
    `No tape was made${kinds.length === 0 ? '' : ':'}${kinds.join('')}`
  );
}

const countOf = ({ findings }: VerdictInput, ...kinds: readonly ImportFindingKind[]): number =>
  findings.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { count }) => sum + count, 0);

function missingNumbers(judged: VerdictInput): Warning | null {
  const gaps = countOf(judged, 'sequence-gap');
  const { read, unnumbered } = judged;
  if (gaps <= Math.max(GAPS_MAX, GAP_SHARE_MAX * read)) return null;
  const remedy =
    unnumbered === null
      ? ''
      : ` Where the capture was split by market or filtered, nothing is missing: import it with --dialect ${unnumbered}.`;
  return {
    text: `Sequence numbers are missing ${gaps} times in ${read} messages; each gap makes books unknown.${remedy}`,
    isMost: true,
  };
}

function unknownBooks({ coverage: { share } }: VerdictInput): Warning | null {
  if (share === null || share >= COVERAGE_MIN) return null;
  const text =
    `Books are known for ${percentText(share)} of the time in which they were recorded. A book is known from a snapshot ` +
    'to the next gap: the findings say what made the gaps, and a capture needs a snapshot after each.';
  return { text, isMost: true };
}

function leftOut(judged: VerdictInput): Warning | null {
  const count = countOf(judged, ...LEFT_OUT);
  if (count <= LEFT_OUT_SHARE_MAX * judged.read) return null;
  const text = `${count} of ${judged.read} rows or messages were left out: the findings name the first ones, and why.`;
  return { text, isMost: true };
}

function disorder(judged: VerdictInput): Warning | null {
  const count = countOf(judged, 'back-in-time');
  if (count <= DISORDER_SHARE_MAX * judged.read) return null;
  const text =
    `${count} of ${judged.read} rows are earlier than the row before them, and dated like that one. Captures of the same ` +
    'time are imported one at a time, and put together with `presage tape merge`.';
  return { text, isMost: false };
}

/** Duplicates that were left out, as requested, need no warning. */
function doubled({ findings, read }: VerdictInput): Warning | null {
  const { count = 0 } = findings.find(({ kind, resolution }) => kind === 'duplicate' && resolution === KEPT) ?? {};
  if (count <= DOUBLED_SHARE_MAX * read) return null;
  const text =
    `${count} of ${read} trades equal an earlier one in everything, and were kept. Files that overlap hold such trades ` +
    'twice: import them with --duplicates drop.';
  return { text, isMost: false };
}

const DIGITS = 2;

/** Formats a share as a percentage, rounded down so that only a full share shows as 100 %. */
export function percentText(share: number): string {
  const percent = Math.floor(share * 100 * 10 ** DIGITS) / 10 ** DIGITS;
  return `${String(percent)} %`;
}
