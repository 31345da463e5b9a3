// The split of a study as text: its windows, and what the winners did outside of their training parts. Pure text.
import { countedNoun, decimalText, exactDollars, shareText } from '../../report/text/figure-text.ts';
import type { SplitResults, WindowResult } from '../../research/splits/split-results.ts';
import type { StudyState } from '../../research/study/study-state.ts';
import { columns } from '../output/text-format.ts';

const NAMED_MAX = 10;

/** Sentences and a table about a split, and an empty line; nothing without a split. */
export function splitText(state: StudyState, results: SplitResults | null): string[] {
  const { split } = state.head;
  if (split === null) return [];
  const parts = [
    ...(results === null ? [] : [...windowTable(results), summaryText(results), ...pathText(results)]),
    ...leftText('in no part, because they straddle a cut, begin in an embargo, or have no result', split.left),
    ...leftText('in no test part', results?.untested ?? []),
    ...(split.sealed === null ? [] : [`The sealed test has ${countedNoun(split.sealed.groups, 'event group')}.`]),
  ];
  return parts.length === 0 ? [] : [...parts, ''];
}

function windowTable({ windows, trials }: SplitResults): string[] {
  const head = ['test', 'groups trained', 'tested', 'winner', 'in sample', 'out of sample', 'place'];
  return columns([head, ...windows.map((window) => windowCells(window, trials))]);
}

const windowCells = ({ cut, testBlocks, ...window }: WindowResult, trials: number): string[] => [
  cut === null ? blocksText(testBlocks) : `from ${new Date(cut / 1000).toISOString().slice(0, 16)}Z`,
  String(window.trainGroups),
  String(window.testGroups),
  window.winner === null ? 'none' : `#${window.winner}`,
  meanText(window.inside),
  meanText(window.outside),
  window.rank === null ? '–' : `${window.rank} of ${trials}`,
];

const blocksText = (blocks: readonly number[]): string =>
  blocks.length === 0 ? 'validation' : `block ${blocks.map((block) => block + 1).join(' + ')}`;

const moneyText = (micros: number): string => exactDollars(Math.round(micros));
const meanText = (micros: number | null): string => (micros === null ? '–' : moneyText(micros));

function summaryText({ inside, outside, changes, windows, curve }: SplitResults): string {
  if (inside === null || outside === null) return 'No trial has a value on a training part.';
  const kept = inside > 0 ? `, ${shareText(outside / inside, 0)} of that in sample` : '';
  const total = curve.at(-1);
  const sum =
    total === undefined ? '' : `: ${moneyText(total.profit)} over ${countedNoun(curve.length, 'event group')}`;
  const winners =
    windows.length < 2 ? '' : ` The winner changed ${changes === 1 ? 'once' : `${decimalText(changes, 0)} times`}.`;
  return `Out of sample, winners made ${moneyText(outside)} an event group${kept}${sum}.${winners}`;
}

function pathText({ paths }: SplitResults): string[] {
  const [least, most] = [paths[0], paths.at(-1)];
  if (paths.length < 2 || least === undefined || most === undefined) return [];
  const middle = paths[Math.floor((paths.length - 1) / 2)] ?? least;
  return [
    `Along ${countedNoun(paths.length, 'path')} through the blocks, winners made ${moneyText(least)} to ${moneyText(most)}; the median is ${moneyText(middle)}.`,
  ];
}

function leftText(where: string, groups: readonly string[]): string[] {
  if (groups.length === 0) return [];
  const named = groups.slice(0, NAMED_MAX).join(', ');
  const more = groups.length > NAMED_MAX ? ` and ${groups.length - NAMED_MAX} more` : '';
  return [`${countedNoun(groups.length, 'event group')} ${where}: ${named}${more}.`];
}
