// Sentences with counts among the notes on a tape, in the singular and the plural, and their sums over several tapes. Must
// never add numbers that are no counts, such as those in a name.

/**
 * Forms of the sentences. `#` is a count, and `[one|many]` depends on the count before it. `@` is a name. Older tapes have the
 * plural for one, too.
 */
const FORMS = {
  undefinedMarkets:
    '# [market has|markets have] no definition: each is taken to trade from the hour of its first row to the end of the ' +
    'hour of its last, on the coarsest usual price grid that holds all of its prices; no result is known.',
  undefinedGroups:
    '# [event group has|event groups have] no definition: markets whose names agree up to the last hyphen are taken for ' +
    'one group, which is not exclusive.',
  undefinedFees: 'The fees of # [event group|event groups] have no definition.',
  resultBeforePayment:
    'The result of # [market|markets] is taken to be known one settlement timer before its payment, and not before ' +
    'the close.',
  resultAtClose:
    "The time when the result of # [market|markets] was known is not given: the result is published at the market's close.",
  earlyRows: "# [row|rows] had a time before the row before [it; it was|them; they were] given that one's time.",
  hiddenResults:
    '# [definition of a market|definitions of markets] held more than was known at the time; the excess was removed.',
  droppedTrades:
    '# [trade that equals|trades that equal] an earlier one in everything [was|were] left out as repeated.',
  equalTrades:
    '# [trade that equals|trades that equal] an earlier one in everything [is taken for a trade of its own|are taken for ' +
    'trades of their own]: one order that trades with several orders of the same size makes such trades, and the file has ' +
    'no trade ids.',
  partOfStream:
    '# of the first # numbers of books do not follow on the one before: the files are taken for a part of ' +
    'a larger stream, such as one market of many. The dialect @ checks them all the same.',
  mergedTapes: 'Merged from # tapes; where several cover a market, one of them is used for each stretch.',
} as const;
export type CountedNote = keyof typeof FORMS;
const NAMES = Object.keys(FORMS) as CountedNote[]; // tidy: as (the object's own names)

const AT_MOST = 'at most ';
const PARTS = /#|@|\[([^|\]]*)\|([^\]]*)\]/g;

interface NoteValues {
  readonly counts: readonly number[];
  /** The name in the place of `@`. @default none */
  readonly name?: string;
  /** True when a count may be too high. @default false */
  readonly isAtMost?: boolean;
}

/** Returns the sentence of a note. */
export function countedNote(note: CountedNote, { counts, name = '', isAtMost = false }: NoteValues): string {
  let used = 0;
  const text = FORMS[note].replace(PARTS, (part, one: string | undefined, many: string | undefined) => {
    if (part === '@') return name;
    if (part === '#') return `${isAtMost ? AT_MOST : ''}${counts[used++] ?? 0}`;
    return (counts[used - 1] === 1 ? one : many) ?? '';
  });
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|\\]/g, String.raw`\$&`);

/** Returns the expression for a note's sentences, of either number. */
function patternOf(note: CountedNote): RegExp {
  const form = FORMS[note];
  let [pattern, done] = ['', 0];
  for (const { 0: part, 1: one = '', 2: many = '', index } of form.matchAll(PARTS)) {
    pattern += escaped(form.slice(done, index));
    if (part === '@') pattern += '(?<name>.+)';
    else pattern += part === '#' ? String.raw`((?:at most )?\d+)` : `(?:${escaped(one)}|${escaped(many)})`;
    done = index + part.length;
  }
  return new RegExp(`^${pattern}${escaped(form.slice(done))}$`, 'i');
}

const PATTERNS: readonly (readonly [note: CountedNote, pattern: RegExp])[] = NAMES.map((note) => [
  note,
  patternOf(note),
]);

interface ReadNote extends Required<NoteValues> {
  readonly note: CountedNote;
}

function readNote(sentence: string): ReadNote | null {
  for (const [note, pattern] of PATTERNS) {
    const found = pattern.exec(sentence);
    if (found === null) continue;
    const name = found.groups?.['name'] ?? '';
    const texts = found.slice(1).filter((text) => /\d$/.test(text) && text !== name);
    const counts = texts.map((text) => Number(/\d+$/.exec(text)?.[0]));
    return { note, name, counts, isAtMost: texts.some((text) => text.toLowerCase().startsWith(AT_MOST)) };
  }
  return null;
}

/**
 * Joins the notes of several tapes: equal sentences count once, and sentences that differ only in their counts become one
 * with the sums.
 * @param mayOverlap True when the tapes have a market or an event group in common, so that a sum may be too high.
 */
export function joinedNotes(tapes: readonly (readonly string[])[], mayOverlap: boolean): readonly string[] {
  const joined = new Map<string, string | (ReadNote & { readonly times: number })>();
  for (const sentence of tapes.flat()) {
    const read = readNote(sentence);
    const key = read === null ? sentence : `${read.note} ${read.name}`;
    const before = joined.get(key);
    if (read === null) joined.set(key, sentence);
    else if (before === undefined || typeof before === 'string') joined.set(key, { ...read, times: 1 });
    else joined.set(key, { ...sumOf(before, read), times: before.times + 1 });
  }
  return [...joined.values()].map((each) =>
    typeof each === 'string'
      ? each
      : countedNote(each.note, { ...each, isAtMost: each.isAtMost || (mayOverlap && each.times > 1) }),
  );
}

const sumOf = (one: ReadNote, other: ReadNote): ReadNote => ({
  ...one,
  counts: one.counts.map((count, place) => count + (other.counts[place] ?? 0)),
  isAtMost: one.isAtMost || other.isAtMost,
});

/** Returns the note on a merge. A source that is a merge itself counts with its own tapes. */
export function mergedNote(tapes: readonly (readonly string[])[]): string {
  const counts = tapes.map((notes) => notes.reduce((most, sentence) => Math.max(most, mergedCount(sentence)), 1));
  return countedNote('mergedTapes', { counts: [counts.reduce((sum, count) => sum + count, 0)] });
}

/** Returns the count of a note on a merge, and 0 for any other sentence. */
export function mergedCount(sentence: string): number {
  const read = readNote(sentence);
  return read?.note === 'mergedTapes' ? (read.counts[0] ?? 0) : 0;
}
