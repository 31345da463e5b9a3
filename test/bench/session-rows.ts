// The rows of a session's tools: the replay of its journal, the certification of a strategy, and questions.
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

export const sessionRows: readonly Row[] = [...replayRows, ...certifyRows, ...whyRows];
