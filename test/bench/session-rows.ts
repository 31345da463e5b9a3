// The rows of a live session, and of its tools: the replay of its journal, the certification of a strategy, and
// questions.
import type { Row } from './scenario.ts';

/** Rows of times within one scenario: their labels, and the names of their metrics. */
const timesOf = (scenario: string, unit: string, times: readonly (readonly [string, string])[]): readonly Row[] =>
  times.map(([label, metric]) => ({ label: `  ${label}`, scenario, metric, unit, isLess: true }));

const replayRows: readonly Row[] = [
  {
    label: 'journal: half a busy hour replayed by the command',
    scenario: 'journal-replay',
    metric: 'inputsPerSecond',
    unit: '/s',
    target: 500_000,
  },
  { label: '  JSON.parse of its inputs', scenario: 'journal-replay', metric: 'parsedPerSecond', unit: '/s' },
  ...timesOf('journal-replay', '×', [['the replay in such parsings', 'inParsings']]),
  ...timesOf('journal-replay', 'µs', [
    ['an entry read alone', 'readMicros'],
    ['a frame of the feed', 'feedMicros'],
    ['a message about the account', 'accountMicros'],
    ['an answer', 'answerMicros'],
    ['a timer', 'timerMicros'],
    ['commands compared', 'commandsMicros'],
  ]),
  ...timesOf('journal-replay', 'ms', [
    ['all frames of the feed', 'feedMs'],
    ['all messages about the account', 'accountMs'],
    ['all answers', 'answerMs'],
    ['all timers', 'timerMs'],
    ['all commands', 'commandsMs'],
  ]),
];

const certifyRows: readonly Row[] = [
  { label: 'certify: the shipped quoter in full', scenario: 'certify', metric: 'wholeMs', unit: 'ms', isLess: true },
  { label: '  its streams once without checks', scenario: 'certify', metric: 'bareEventsPerSecond', unit: '/s' },
  ...timesOf('certify', '×', [['all checks in such runs', 'inBareRuns']]),
  ...timesOf('certify', 'ms', [
    ['such runs', 'bareMs'],
    ['checks that share one run', 'judgedMs'],
    ['determinism', 'determinismMs'],
    ['blindness', 'blindnessMs'],
    ['restart', 'restartMs'],
    ['markets', 'marketsMs'],
    ['time', 'timeMs'],
    ['memory', 'memoryMs'],
  ]),
];

const whyRows: readonly Row[] = [
  {
    label: 'why: an answer from the index of four hours',
    scenario: 'why-4h',
    metric: 'answerSeconds',
    unit: 's',
    isLess: true,
    target: 5,
  },
  ...timesOf('why-4h', 's', [['its journal read once', 'readSeconds']]),
  ...timesOf('why-4h', '×', [['the answer in readings', 'answerPerReading']]),
];

const HOUR = 'live-hour';

/** An hour of a live session: the whole, its causes, and what happened in it. */
const hourRows: readonly Row[] = [
  {
    label: 'a live hour of 10 000 markets, 2500 quoted: its engine',
    scenario: HOUR,
    metric: 'percentOfCore',
    unit: '%',
    against: `${HOUR}-watched`,
    isLess: true,
    target: 1,
  },
  {
    label: '  with a strategy that only looks',
    scenario: `${HOUR}-watched`,
    metric: 'percentOfCore',
    unit: '%',
    isLess: true,
  },
  ...timesOf(HOUR, '×', [['in times of the books alone', 'inBare']]),
  ...timesOf(HOUR, 'ms', [
    ['changes of books, not answered', 'rowsMs'],
    ['answers of the strategy, and their orders', 'ordersMs'],
    ['answers of the venue, and its reports', 'answersMs'],
    ['lists', 'listsMs'],
    ['time that passes', 'timeMs'],
    ['the strategy itself', 'strategyMs'],
    ['the changes into the books alone', 'bareMs'],
    ['to become ready, before the hour', 'readyMs'],
    ['the longest step', 'longestMs'],
  ]),
  { label: '  changes of books', scenario: HOUR, metric: 'changes', unit: '' },
  { label: '  orders placed', scenario: HOUR, metric: 'placed', unit: '' },
  { label: '  orders that rest at the end', scenario: HOUR, metric: 'resting', unit: '' },
  { label: '  lists and books read', scenario: HOUR, metric: 'reads', unit: '' },
];

export const sessionRows: readonly Row[] = [...hourRows, ...replayRows, ...certifyRows, ...whyRows];
