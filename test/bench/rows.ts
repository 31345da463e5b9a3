// tidy: table
// The table that the benchmarks print: each figure of a scenario, its baseline, and its target.
import { exchangeRows } from './exchange-rows.ts';
import type { Row } from './scenario.ts';
import { sessionRows } from './session-rows.ts';

/** The figures of a tick's way to its order, and what they must be at least against the naive client's. */
const TICK_STAGES: readonly (readonly [label: string, metric: string, ratioTarget?: number])[] = [
  ['p50', 'p50', 12],
  ['p99', 'p99', 5],
  ['tick sent → frame in', 'frameIn'],
  ['frame in → decided', 'decided', 1],
  ['decided → signed', 'signed'],
  ['signed → received in full', 'received'],
  ['the first order of the process', 'first'],
];

/** From a tick to its order at one pace: ours by each signer, without a client, and the naive client's. */
const tickRows = (pace: string, end: string): readonly Row[] =>
  TICK_STAGES.flatMap(([stage, metric, ratioTarget]): readonly Row[] => {
    const row = (name: string, label: string): Row => ({
      label: `  ${label}`,
      scenario: `${name}${end}`,
      metric,
      unit: 'µs',
      isLess: true,
    });
    const goal = { against: `tick-naive${end}`, ...(ratioTarget !== undefined && { ratioTarget }) };
    return [
      { ...row('tick', ''), label: `tick → order, ${pace}: ${stage}`, ...goal },
      { ...row('tick-awake', 'on an event loop that does not sleep'), ...goal },
      { ...row('tick-platform', 'signed by the platform'), ...goal },
      row('tick-bare', 'kernel, Node.js and ws alone'),
      row('tick-naive', 'naive client'),
    ];
  });

/** From a tick to its order while a console follows the session, against the same session without one. */
const followedRows = (markets: string): readonly Row[] => [
  {
    label: `tick → order, p50, ${markets} markets, followed`,
    scenario: `tick-${markets}-followed`,
    metric: 'p50',
    unit: 'µs',
    against: `tick-${markets}`,
    isLess: true,
    // The followed session may be at most 5 % slower.
    ratioTarget: 0.952,
  },
  { label: `  not followed`, scenario: `tick-${markets}`, metric: 'p50', unit: 'µs' },
  {
    label: `  p99, followed`,
    scenario: `tick-${markets}-followed`,
    metric: 'p99',
    unit: 'µs',
    against: `tick-${markets}`,
    isLess: true,
  },
];

/** A figure of a session beside a console with twenty clients, without a baseline. */
const crowdRow = (markets: string, label: string, figure: Pick<Row, 'metric' | 'unit'>): Row => ({
  label: `  ${label}`,
  scenario: `tick-${markets}-browsers`,
  isLess: true,
  ...figure,
});

/** From a tick to its order beside a console with twenty clients, against the same session alone. */
const crowdedRows = (markets: string): readonly Row[] => [
  {
    ...crowdRow(markets, '', { metric: 'p50', unit: 'µs' }),
    label: `tick → order, p50, ${markets} markets, twenty browsers`,
    against: `tick-${markets}`,
    // The session beside the console may be at most 5 % slower.
    ratioTarget: 0.952,
  },
  { ...crowdRow(markets, 'p99', { metric: 'p99', unit: 'µs' }), against: `tick-${markets}` },
  {
    ...crowdRow(markets, 'growth of the bot’s memory', { metric: 'botMemoryGrowth', unit: 'MB' }),
    // The bot publishes to one console as it does to one follower, however many browsers that console has.
    against: `tick-${markets}-followed`,
  },
  crowdRow(markets, 'memory of the bot at the start', { metric: 'botMemoryStart', unit: 'MB' }),
  crowdRow(markets, 'memory of the bot at the end', { metric: 'botMemoryEnd', unit: 'MB' }),
  crowdRow(markets, 'memory of the console at the start', { metric: 'consoleMemoryStart', unit: 'MB' }),
  crowdRow(markets, 'memory of the console at the end', { metric: 'consoleMemoryEnd', unit: 'MB' }),
  crowdRow(markets, 'use of a core: the sender of ticks', { metric: 'serverCpu', unit: '%' }),
  crowdRow(markets, 'use of a core: the bot', { metric: 'botCpu', unit: '%' }),
  crowdRow(markets, 'use of a core: the console', { metric: 'consoleCpu', unit: '%' }),
  crowdRow(markets, 'use of a core: the browsers', { metric: 'browsersCpu', unit: '%' }),
  crowdRow(markets, 'slowest answer to a reader', { metric: 'slowestAnswerMs', unit: 'ms' }),
];

/** A backtest as users run it: its rate warm and cold, where its time goes, and the rows into the books alone. */
const workRows = (name: string, label: string, goal: { readonly target?: number } = {}): readonly Row[] => [
  {
    label: `${label}, warm`,
    scenario: name,
    metric: 'warmRowsPerSecond',
    unit: '/s',
    against: `${name}-bare`,
    ...goal,
  },
  { label: '  the first run of a process', scenario: name, metric: 'rowsPerSecond', unit: '/s' },
  { label: '  time of the first run', scenario: name, metric: 'wholeMs', unit: 'ms', isLess: true },
  { label: '  time of a later run', scenario: name, metric: 'warmMs', unit: 'ms', isLess: true },
  { label: '  of that, rows and the time between them', scenario: name, metric: 'watchedMs', unit: 'ms', isLess: true },
  { label: '  of that, the rows into the books', scenario: `${name}-bare`, metric: 'warmMs', unit: 'ms', isLess: true },
  { label: '  orders that reached the venue', scenario: name, metric: 'orders', unit: '' },
];

/** Trials of a study on two threads, against two independent processes and against one thread. */
const studyRows = (tape: string, name: string): readonly Row[] => [
  {
    label: `study over ${name}: two threads`,
    scenario: `study-${tape}-threads`,
    metric: 'trialsPerSecond',
    unit: '/s',
    against: `study-${tape}-processes`,
    ratioTarget: 0.95,
  },
  { label: '  two independent processes', scenario: `study-${tape}-processes`, metric: 'trialsPerSecond', unit: '/s' },
  {
    label: '  two threads, against one',
    scenario: `study-${tape}-threads`,
    metric: 'trialsPerSecond',
    unit: '/s',
    against: `study-${tape}-one`,
    ratioTarget: 1.5,
  },
];

export const rows: readonly Row[] = [
  {
    label: 'book changes applied',
    scenario: 'books',
    metric: 'changesPerSecond',
    unit: '/s',
    against: 'books-bare',
    target: 30_000_000,
  },
  { label: 'the bare loop', scenario: 'books-bare', metric: 'changesPerSecond', unit: '/s' },
  {
    label: 'memory of a full whole-cent book',
    scenario: 'books-memory',
    metric: 'bytesPerMarket',
    unit: 'B',
    isLess: true,
    target: 1100,
  },
  {
    label: 'book changes through the engine',
    scenario: 'engine',
    metric: 'changesPerSecond',
    unit: '/s',
    against: 'books',
    target: 22_000_000,
  },
  {
    label: 'and a strategy that looks and quotes',
    scenario: 'engine-quotes',
    metric: 'changesPerSecond',
    unit: '/s',
    against: 'books',
    target: 16_000_000,
  },
  {
    label: 'allocated by such a change',
    scenario: 'engine-quotes',
    metric: 'bytesPerChange',
    unit: 'B',
    isLess: true,
    target: 1,
  },
  {
    label: 'and three such engines that take turns',
    scenario: 'engine-several',
    metric: 'changesPerSecond',
    unit: '/s',
    against: 'engine-quotes',
    ratioTarget: 0.95,
  },
  {
    label: 'backtest: 10 M changes through venue and engine',
    scenario: 'backtest',
    metric: 'rowsPerSecond',
    unit: '/s',
    against: 'backtest-bare',
    target: 10_000_000,
    ratioTarget: 0.25,
  },
  {
    label: '  10 M later ones of a longer tape',
    scenario: 'backtest',
    metric: 'lateRowsPerSecond',
    unit: '/s',
    against: 'backtest-bare',
    target: 10_000_000,
    ratioTarget: 0.25,
  },
  { label: '  the same rows into the books alone', scenario: 'backtest-bare', metric: 'rowsPerSecond', unit: '/s' },
  {
    label: 'with 10 000 resting orders of our own',
    scenario: 'backtest-orders',
    metric: 'rowsPerSecond',
    unit: '/s',
    against: 'backtest',
    ratioTarget: 0.667,
  },
  {
    label: 'peak memory',
    scenario: 'backtest',
    metric: 'peakMegabytes',
    unit: 'MB',
    isLess: true,
    target: 300,
  },
  ...workRows('gold', 'six recorded windows, quoter', { target: 2_000_000 }),
  {
    label: 'six recorded windows, market maker, warm',
    scenario: 'gold-maker',
    metric: 'warmRowsPerSecond',
    unit: '/s',
    against: 'gold-bare',
  },
  ...workRows('sparse-week', 'six days of 605 markets, a purchase in each', { target: 400_000 }),
  ...workRows('rare-trades', 'two months of rare trades, closing taker'),
  {
    label: '  time of a later run, momentum on prints',
    scenario: 'rare-trades-momentum',
    metric: 'warmMs',
    unit: 'ms',
    isLess: true,
  },
  ...workRows('quotes', 'three days of recorded quotes, quoter', { target: 2_000_000 }),
  {
    label: 'an idle bot of 10 000 markets: its engine',
    scenario: 'idle',
    metric: 'percentOfCore',
    unit: '%',
    isLess: true,
    target: 1,
  },
  ...workRows('busy', 'an hour of 20 markets, up to ten orders and cancels a second'),
  {
    label: '  an order and its cancel',
    scenario: 'busy',
    metric: 'microsecondsPerOrder',
    unit: 'µs',
    isLess: true,
    target: 35,
  },
  {
    label: '  a quote moved by an amend, against a cancel and a new order',
    scenario: 'moved-by-amend',
    metric: 'microsecondsPerOrder',
    unit: 'µs',
    against: 'moved-by-cancel',
    isLess: true,
    target: 35,
  },
  { label: '  quotes moved by amends', scenario: 'moved-by-amend', metric: 'orders', unit: '' },
  { label: '  quotes moved by cancels', scenario: 'moved-by-cancel', metric: 'orders', unit: '' },
  {
    label: 'feed: frames from socket to state',
    scenario: 'feed',
    metric: 'framesPerSecond',
    unit: '/s',
    against: 'feed-naive',
    target: 900_000,
    ratioTarget: 2,
  },
  { label: 'feed: naive client', scenario: 'feed-naive', metric: 'framesPerSecond', unit: '/s' },
  {
    label: 'tape: raw frames to baked rows',
    scenario: 'bake',
    metric: 'framesPerSecond',
    unit: '/s',
    against: 'bake-naive',
    target: 1_500_000,
    ratioTarget: 1.5,
  },
  {
    label: 'tape: a capture of frames imported',
    scenario: 'import',
    metric: 'framesPerSecond',
    unit: '/s',
    against: 'bake-naive',
    target: 1_500_000,
  },
  {
    label: 'tape: recorded windows imported, as they are',
    scenario: 'import-gold',
    metric: 'framesPerSecond',
    unit: '/s',
    against: 'bake-naive',
    target: 1_200_000,
  },
  { label: 'tape: JSON.parse of every frame', scenario: 'bake-naive', metric: 'framesPerSecond', unit: '/s' },
  { label: 'memory while baking', scenario: 'bake', metric: 'peakBytes', unit: 'B', isLess: true, target: 300_000_000 },
  {
    label: 'tape: baked rows read',
    scenario: 'replay-rows',
    metric: 'rowsPerSecond',
    unit: '/s',
    against: 'replay-rows-bare',
    target: 30_000_000,
  },
  { label: 'tape: baked rows written', scenario: 'replay-rows', metric: 'writtenPerSecond', unit: '/s' },
  {
    label: 'memory while writing and reading rows',
    scenario: 'replay-rows',
    metric: 'peakBytes',
    unit: 'B',
    isLess: true,
    target: 300_000_000,
  },
  { label: 'the same sums in memory', scenario: 'replay-rows-bare', metric: 'rowsPerSecond', unit: '/s' },
  ...tickRows('5 ms', ''),
  ...tickRows('0.5 ms', '-fast'),
  ...tickRows('0.2–10 ms', '-random'),
  ...['p50', 'p99'].flatMap((metric): readonly Row[] => [
    { label: `tick → second of two orders, ${metric}`, scenario: 'tick-pair', metric, unit: 'µs', isLess: true },
    {
      label: '  in one request',
      scenario: 'tick-pair-batch',
      metric,
      unit: 'µs',
      against: 'tick-pair',
      isLess: true,
    },
  ]),
  {
    label: 'tick → order, p50, with metrics',
    scenario: 'tick-metered',
    metric: 'p50',
    unit: 'µs',
    against: 'tick',
    isLess: true,
    ratioTarget: 0.95,
  },
  ...followedRows('1k'),
  ...followedRows('10k'),
  ...crowdedRows('1k'),
  ...crowdedRows('10k'),
  ...studyRows('sample', 'the sample tape'),
  ...studyRows('gold', 'the gold windows'),
  {
    label: 'a warm trial on a thread, beyond the same in a process',
    scenario: 'study-overhead',
    metric: 'millisecondsBeyond',
    unit: 'ms',
    isLess: true,
    target: 10,
  },
  {
    label: 'memory of a further thread',
    scenario: 'study-memory',
    metric: 'megabytesOfThread',
    unit: 'MB',
    isLess: true,
    target: 80,
  },
  {
    label: 'study on a queue: three workers, against one',
    scenario: 'study-queue-3',
    metric: 'trialsPerSecond',
    unit: '/s',
    against: 'study-queue-1',
    ratioTarget: 2.5,
  },
  ...sessionRows,
  ...exchangeRows,
  {
    label: 'signatures, ours, P-256',
    scenario: 'sign-p256',
    metric: 'signaturesPerSecond',
    unit: '/s',
    against: 'sign-platform-pem',
  },
  {
    label: 'signatures, ours, secp256k1',
    scenario: 'sign-secp256k1',
    metric: 'signaturesPerSecond',
    unit: '/s',
    against: 'sign-platform-pem',
  },
  {
    label: 'signatures, platform, P-256',
    scenario: 'sign-platform',
    metric: 'signaturesPerSecond',
    unit: '/s',
    against: 'sign-platform-pem',
  },
  {
    label: 'signatures, platform, PEM parsed each time',
    scenario: 'sign-platform-pem',
    metric: 'signaturesPerSecond',
    unit: '/s',
  },
];
