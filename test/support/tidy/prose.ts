// Plain English in comments, test titles, messages and docs: words that are not used here, each with what to write instead,
// and two counts that may not grow. Must never judge code: a word in backquotes is a name.
import type { Node } from 'oxc-parser';
import { type Fault, fault } from './fault.ts';
import { type CommentedText, type Module, lineOf } from './module.ts';
import { walk } from './walk.ts';

/** A word that is not used, and what to write instead. */
interface Banned {
  readonly word: RegExp;
  readonly instead: string;
  /** A text that mentions this may use the word. */
  readonly unless?: RegExp;
}

/** A word alone: not a part of another, nor of a name with hyphens. */
const whole = (words: string): RegExp => new RegExp(`(?<![\\w-])(?:${words})(?![\\w-])`, 'i');

const CASH = /\b(cash|money|funds?|transfer\w*|deposit\w*|balance\w*|bank)\b/i;

/** The words that are not used in comments, test titles, messages and docs. */
export const BANNED_WORDS: readonly Banned[] = [
  {
    word: whole('tells?|telling|told|untold'),
    instead: 'the act it is: receives, emits, publishes, reports, logs, says, knows',
  },
  { word: whole('tellers?'), instead: 'encoder, notifier, decoder, reader' },
  { word: whole('heard'), instead: 'received' },
  { word: whole('anew'), instead: 'again' },
  { word: whole('whoever|whomever|whosoever'), instead: 'the noun: the caller, the reader, a strategy that' },
  { word: whole('nobody|somebody'), instead: 'the noun: no strategy, no reader, another program' },
  { word: whole('lent|lends?|lending'), instead: 'shared, shares, sharing' },
  { word: whole('believed'), instead: 'trusted, live' },
  { word: whole('pledges?|pledged|pledging'), instead: 'reserves, reserved; collateral' },
  {
    word: whole('withdraws?|withdrawn|withdrawing|withdrawals?|withdrew'),
    instead: 'cancels, canceled; cash alone is withdrawn',
    unless: CASH,
  },
  { word: whole('couriers?|parcels?'), instead: 'latency link, message in flight' },
  { word: whole('purses?'), instead: 'collateral account' },
  { word: whole('manners'), instead: 'quirks, conventions' },
  { word: whole('premises|whereabouts|kennel|estates?|heirs?'), instead: 'the thing it is' },
  { word: whole('so many|so much'), instead: 'the figure, or its name' },
  { word: whole('(?:comes?|came|becomes?|became) of'), instead: 'results from, follows' },
  { word: whole('at the most|at the least'), instead: 'at most, at least' },
  { word: whole('seldom'), instead: 'rarely' },
  { word: whole('hitherto|thereof|thereby|therein|wherein|whereupon|lest|ere|aught|naught'), instead: 'plain words' },
  { word: whole('slow hundredth'), instead: 'p99' },
  { word: whole('by and by|of its own accord'), instead: 'plain words' },
  { word: whole('the very'), instead: 'the same, exactly the' },
];

/** A stretch of prose and where it begins. */
export interface Prose {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** The comments of a file; lines of `//` that follow each other are one. */
export function commentsOf(module: CommentedText): Prose[] {
  const found: { start: number; end: number; text: string; isLine: boolean }[] = [];
  for (const { type, value, start, end } of module.comments) {
    const last = found.at(-1);
    const isNext = last?.isLine && type === 'Line' && /^\s*$/.test(module.text.slice(last.end, start));
    if (last && isNext && !/\n\s*\n/.test(module.text.slice(last.end, start))) {
      last.text += `\n${value}`;
      last.end = end;
    } else found.push({ start, end, text: value, isLine: type === 'Line' });
  }
  return found.map(({ start, text }) => ({
    file: module.file,
    line: lineOf(module, start),
    text: text.replaceAll(/^\s*\*+ ?/gm, '').trim(),
  }));
}

/** True for a string that holds source text: a line of it ends a statement or opens a block. */
const isSource = (text: string): boolean => /[;{]\s*$/m.test(text);

/** The strings of a file with two words or more: what it prints, and the titles of its tests. */
export function stringsOf(module: Module): Prose[] {
  const found: Prose[] = [];
  walk(module.program, (node) => {
    const text = stringOf(node);
    if (text !== null && /\p{L} \p{L}/u.test(text) && !isSource(text))
      found.push({ file: module.file, line: lineOf(module, node.start), text });
  });
  return found;
}

function stringOf(node: Node): string | null {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'TemplateLiteral') return node.quasis.map((quasi) => quasi.value.cooked ?? '').join('…');
  return null;
}

/** The prose of a page of docs: what is outside of blocks of code. */
export function paragraphsOf(file: string, text: string): Prose[] {
  let isCode = false;
  return text.split('\n').flatMap((line, i) => {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    return isCode || line.trim() === '' ? [] : [{ file, line: i + 1, text: line }];
  });
}

/** The words of some prose that are not used here. */
export function checkProse(prose: readonly Prose[]): Fault[] {
  return prose.flatMap(({ file, line, text }) => {
    const spoken = text.replaceAll(/`[^`]*`/g, '``');
    return BANNED_WORDS.flatMap(({ word, instead, unless }) => {
      const found = word.exec(spoken);
      if (!found || unless?.test(spoken)) return [];
      const at = line + spoken.slice(0, found.index).split('\n').length - 1;
      return [fault({ file, line: at }, 'banned-word', `says “${found[0]}”; write ${instead}`)];
    });
  });
}

/** The most comments that may open with a relative clause. Lower it when the count falls; never raise it. */
export const CLAUSE_OPENERS_MAX = 0;
/** The most comments that may lack a verb. Lower it when the count falls; never raise it. */
export const VERBLESS_MAX = 33;

/** Comments that open with a relative clause in place of a noun or a verb. */
export const opensWithClause = ({ text }: Prose): boolean =>
  /^(What|Whether|Who|Whoever|Whose|Whatever|Of)\b/.test(text);

/** Finite verbs that cannot be taken for a noun, in the third person and the plural, and all auxiliaries. */
const VERB = new RegExp(
  `\\b(?:${[
    "is|are|was|were|be|been|has|have|had|does|do|did|can|could|may|might|must|will|would|should|cannot|\\w+n't",
    'accepts?|adds?|allows?|answers|applies|apply|arrives?|asks?|assumes?|awaits?|begins?|belongs?|breaks?|brings?|builds?',
    'calls|carries|carry|changes|checks|chooses?|claims|closes?|comes?|compares?|computes?|contains?|continues?|converts?',
    'counts|covers?|creates?|decides?|defines?|deletes?|denies|deny|depends?|describes?|differs?|drops?|emits?|ends|ensures?',
    'equals?|exceeds?|exists?|expects?|expires?|explains?|fails?|fills|finds?|finishes|fits?|follows?|gets?|gives?|goes|grows?',
    'halts|happens?|holds?|identifies|ignores?|includes?|keeps?|knows?|lasts?|lacks?|leaves?|lets?|lies|lists|looks?|loses?',
    'maps|marks|matches|means?|measures|merges|moves|names|needs?|notes|omits?|opens|owns?|parses?|passes|pays?|places?',
    'prevents?|prints|produces?|provides?|publishes|puts?|raises?|reaches|reads|receives?|records|refuses?|rejects?|releases',
    'remains?|removes?|repeats?|replaces?|replays|reports|requires?|resolves?|returns|reserves?|rests?|rounds|runs|says?|sees?',
    'selects?|sends?|serves?|sets|shares|shows?|shrinks?|signs|sits?|sorts|splits|starts?|stays?|stops?|stores?|supplies|takes?',
    '\\w{2,}ed|made|kept|sent|tests|throws?|trades|treats?|tries|try|turns|uses|verifies|waits?|wants?|watches|works?|writes?|yields?',
  ].join('|')})\\b`,
  'i',
);

/**
 * Comments of more than a line, their tags apart, with a sentence after the first that has no verb. The first may be a
 * noun phrase ("The best bid of a market."), and short marks such as "Pure." may follow it.
 */
export function isVerbless({ text }: Prose): boolean {
  const said = text.replace(/(^|\n)\s*@[\s\S]*$/, '').trim();
  if (!said.includes('\n')) return false;
  const [, ...sentences] = said.replaceAll(/`[^`]*`/g, 'name').split(/(?<=[.!?])\s+/);
  return sentences.some((sentence) => sentence.split(/\s+/).length > WORDS_OF_A_MARK && !VERB.test(sentence));
}

/** Sentences of up to this many words are marks. */
const WORDS_OF_A_MARK = 4;
