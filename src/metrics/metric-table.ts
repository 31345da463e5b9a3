// Describes every metric: its name, type, labels and help, and its value in a bot's figures. Dashboards, alert rules
// and docs/reference/metrics.md use these names. Must never have a label whose values grow without bound.
import { LATENCY_BOUNDS, type LatencyCounts } from '../runtime/session/latency-histogram.ts';
import { INPUT_KINDS, ORDER_STAGES, RESYNC_STEPS } from '../runtime/session/session-meter.ts';
import type { BotFigures } from './bot-figures.ts';
import { GC_BOUNDS, GC_KINDS } from './machine-meter.ts';
import type { StrategyCount } from './strategy-counts.ts';

/** One value of a metric. The labels do not include `bot`. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** One histogram. The labels do not include `bot`. */
export interface LatencySample {
  readonly labels: Readonly<Record<string, string>>;
  readonly counts: LatencyCounts;
}

interface MetricInfo {
  readonly name: string;
  /** Labels besides `bot`. */
  readonly labels: readonly string[];
  readonly help: string;
  /** Values of the labels, for the reference. May be empty. */
  readonly values: string;
}

/** A figure of a bot. A counter only rises. */
export interface FigureMetric extends MetricInfo {
  readonly type: 'gauge' | 'counter';
  readonly read: (figures: BotFigures) => readonly Sample[];
}

/** A distribution of durations of a bot. */
export interface LatencyMetric extends MetricInfo {
  readonly type: 'histogram';
  /** Upper bounds of the buckets, microseconds. Written in seconds. */
  readonly bounds: readonly number[];
  readonly read: (figures: BotFigures) => readonly LatencySample[];
}

export type BotMetric = FigureMetric | LatencyMetric;

const MICROS = 1e6;
const HUNDREDTHS = 100;
const MILLIS = 1000;

type Labels = Readonly<Record<string, string>>;

const one = (value: number): Sample[] => [{ labels: {}, value }];
const maybeOne = (value: number | null): Sample[] => (value === null ? [] : one(value));
const dollars = (micros: number | null): Sample[] => maybeOne(micros === null ? null : micros / MICROS);
const flag = (isTrue: boolean): number => (isTrue ? 1 : 0);

const byLabel = (label: string, values: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }));

/** `unit` divides each count. */
const byStrategy = (label: string, counts: readonly StrategyCount[], unit = 1): Sample[] =>
  counts.map((row) => ({ labels: { strategy: row.strategy, [label]: row.label }, value: row.count / unit }));

type Reader = FigureMetric['read'];
type Definition = readonly [name: string, help: string, read: Reader, labels?: Labels];

const figure =
  (type: FigureMetric['type']) =>
  ([name, help, read, labels = {}]: Definition): FigureMetric => ({
    name: `presage_${name}`,
    type,
    help,
    read,
    labels: Object.keys(labels),
    values: labelText(labels),
  });

const labelText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([label, values]) => `${label}: ${values}`)
    .join('; ');

const gauge = figure('gauge');
const counter = figure('counter');

const STRATEGY = 'name of a strategy, or `other` beyond the bound';
const STRATEGY_OF_FILL = `${STRATEGY}, or \`none\` while the order of the fill is not known`;

const MONEY: readonly FigureMetric[] = [
  gauge([
    'equity_dollars',
    'Cash and the value of all positions; absent before the account is open',
    ({ equity }) => dollars(equity),
  ]),
  gauge([
    'profit_day_dollars',
    'Equity now less equity at the start of the UTC day; absent before the account is open',
    ({ dayProfit }) => dollars(dayProfit),
  ]),
  gauge([
    'exposure_dollars',
    'Loss of all event groups with their worst outcomes, open orders filled',
    ({ exposure }) => one(exposure / MICROS),
  ]),
  gauge(['cash_dollars', 'Cash of the account; absent before it is open', ({ cash }) => dollars(cash)]),
  gauge([
    'limit_use_ratio',
    'Use of a limit as a share of it: 1 is the whole limit',
    ({ limits }) => limits.map(({ strategy, limit, ratio }) => ({ labels: { limit, strategy }, value: ratio })),
    { limit: 'name of the limit in the config', strategy: `${STRATEGY}; empty for the account’s limit` },
  ]),
];

const STATE: readonly FigureMetric[] = [
  gauge([
    'phase',
    'Phase of the session: 1 for the present one',
    ({ phase }) => [{ labels: { phase }, value: 1 }],
    {
      phase: '`idle`, `discovering`, `clearing`, `loading`, `trading`, `recovering`, `stopping`, `closing`, `stopped`',
    },
  ]),
  gauge([
    'ready',
    '1 when orders may be placed: the phase is trading and the feed is in order',
    ({ isReady }) => one(flag(isReady)),
  ]),
  gauge([
    'halted',
    'Number of halts in force',
    ({ halts }) => byLabel('scope', halts),
    {
      scope: '`account`, `strategy`, `market`',
    },
  ]),
];

const FEED: readonly FigureMetric[] = [
  gauge([
    'feed_up',
    '1 when the feed is connected, or its private channels are granted',
    ({ feed }) => byLabel('part', { public: flag(feed.isUp), private: flag(feed.isPrivateUp) }),
    { part: '`public`, `private`' },
  ]),
  gauge([
    'feed_age_seconds',
    'Time since the last message of the feed, or since the session’s start while there is none',
    ({ feed }) => one(feed.ageMs / MILLIS),
  ]),
  gauge(['feed_lag_seconds', 'Least delay of the feed’s messages', ({ feed }) => one(feed.lagMs / MILLIS)]),
  gauge([
    'clock_offset_seconds',
    'Our clock less the exchange’s; absent before it is known',
    ({ clockOffsetMs }) => maybeOne(clockOffsetMs === null ? null : clockOffsetMs / MILLIS),
  ]),
  counter(['feed_gaps_total', 'Gaps in the sequence of the feed’s messages', ({ gaps }) => one(gaps)]),
  counter([
    'resyncs_total',
    'Repairs of books and of the feed',
    ({ meter }) => byLabel('step', meter.resyncs),
    {
      step: listed(RESYNC_STEPS),
    },
  ]),
  gauge(['book_untrusted', 'Open markets whose book is not live', ({ untrustedBooks }) => one(untrustedBooks)]),
  counter([
    'frames_total',
    'Inputs of the engine',
    ({ meter }) => byLabel('kind', meter.inputs),
    {
      kind: `${listed(INPUT_KINDS)}: a message of the feed, a change of its connection, an answer, a timer or an operator`,
    },
  ]),
];

const TRADING: readonly FigureMetric[] = [
  counter([
    'orders_total',
    'Orders that reached a state',
    ({ trades }) => byStrategy('state', trades.orders),
    {
      strategy: STRATEGY,
      state: '`approved`, `filled`, `canceled`, `expired`, `rejected`, `not-sent`, `unknown`',
    },
  ]),
  counter([
    'fills_total',
    'Fills',
    ({ trades }) => byStrategy('liquidity', trades.fills),
    {
      strategy: STRATEGY_OF_FILL,
      liquidity: '`maker`, `taker`',
    },
  ]),
  counter([
    'contracts_total',
    'Contracts traded',
    ({ trades }) => byStrategy('liquidity', trades.quantities, HUNDREDTHS),
    { strategy: STRATEGY_OF_FILL, liquidity: '`maker`, `taker`' },
  ]),
  counter([
    'fees_dollars_total',
    'Fees paid, rebates not included',
    ({ trades }) => byStrategy('liquidity', trades.fees, MICROS),
    {
      strategy: STRATEGY_OF_FILL,
      liquidity: '`maker`, `taker`',
    },
  ]),
  counter([
    'denials_total',
    'Orders that risk has denied',
    ({ trades }) => byStrategy('code', trades.denials),
    {
      strategy: STRATEGY,
      code: 'a code of [denials](denials.md)',
    },
  ]),
  gauge(['unknown_orders', 'Orders that may or may not be at the exchange', ({ unknownOrders }) => one(unknownOrders)]),
  gauge([
    'drift_dollars',
    'Cash that our figures and the exchange’s differ by',
    ({ drift }) => one(drift.cash / MICROS),
  ]),
  gauge([
    'drift_contracts',
    'Contracts that our figures and the exchange’s differ by',
    ({ drift }) => one(drift.qty / HUNDREDTHS),
  ]),
  counter([
    'alarms_total',
    'Alarms raised',
    ({ alarms }) => alarms.map(({ code, count }) => ({ labels: { code }, value: count })),
    { code: 'a code of [alarms](alarms.md)' },
  ]),
];

const BUDGETS: readonly FigureMetric[] = [
  gauge([
    'budget_available_ratio',
    'Units of a rate budget that are free, as a share of its capacity',
    ({ budgets }) => byLabel('budget', budgets.available),
    { budget: '`read`, `trade`' },
  ]),
  gauge([
    'lane_waiting',
    'Commands that wait to be sent',
    ({ lanes }) => lanes.map(({ lane, count }) => ({ labels: { lane }, value: count })),
    { lane: '`cancel`, `reduce`, `new`, `probe`, `read`, `care`' },
  ]),
  counter([
    'rate_refusals_total',
    'Requests that the exchange has refused for their rate',
    ({ budgets }) => byLabel('budget', budgets.refusals),
    { budget: '`read`, `trade`' },
  ]),
];

const MACHINE: readonly BotMetric[] = [
  gauge([
    'event_loop_lag_seconds',
    'Lateness of the event loop since the last scrape; absent at the first one',
    ({ machine: { loopLag } }) => (loopLag === null ? [] : byLabel('stat', loopLag)),
    { stat: '`p50`, `p99`, `max`' },
  ]),
  gauge([
    'event_loop_use_ratio',
    'Share of the time since the last scrape in which the event loop was busy',
    ({ machine }) => maybeOne(machine.loopUse),
  ]),
  gauge(['process_resident_memory_bytes', 'Memory of the process', ({ machine }) => one(machine.residentBytes)]),
  gauge(['heap_used_bytes', 'Memory of the program’s objects', ({ machine }) => one(machine.heapBytes)]),
  gauge([
    'disk_free_bytes',
    'Free bytes on the disk of the data folder; absent when they cannot be read',
    ({ machine }) => maybeOne(machine.diskFreeBytes),
  ]),
  gauge([
    'journal_bytes',
    'Bytes that the session has written to its journal, before packing; absent without a journal',
    ({ journalBytes }) => maybeOne(journalBytes),
  ]),
  {
    name: 'presage_journal_write_seconds',
    type: 'histogram',
    help: 'Time that orders waited for the write of the journal',
    labels: [],
    values: '',
    bounds: LATENCY_BOUNDS,
    read: ({ meter }) => [{ labels: {}, counts: meter.journalWrites }],
  },
  {
    name: 'presage_gc_seconds',
    type: 'histogram',
    help: 'Garbage collections; only with `metrics.gc: true`',
    labels: ['kind'],
    values: `kind: ${listed(GC_KINDS)}`,
    bounds: GC_BOUNDS,
    read: ({ machine: { gc } }) =>
      gc === null ? [] : GC_KINDS.map((kind) => ({ labels: { kind }, counts: gc[kind] })),
  },
];

const LATENCY: LatencyMetric = {
  name: 'presage_order_seconds',
  type: 'histogram',
  help: 'Time that orders and cancels spend in a stage',
  labels: ['stage'],
  values: `stage: ${listed(ORDER_STAGES)}`,
  bounds: LATENCY_BOUNDS,
  read: ({ meter }) => ORDER_STAGES.map((stage) => ({ labels: { stage }, counts: meter.stages[stage] })),
};

function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

const ALERTS: readonly FigureMetric[] = [
  counter([
    'alerts_sent_total',
    'Alerts by target and result; absent when the bot sends none',
    ({ alerts }) =>
      (alerts?.sent ?? []).map(({ target, result, count }) => ({ labels: { target, result }, value: count })),
    { target: 'name of the target in the config', result: '`sent`, `failed`, `dropped`' },
  ]),
  gauge([
    'alerts_waiting',
    'Alerts that wait to be sent, without those that wait only for the end of quiet hours; absent when the bot sends none',
    ({ alerts }) => maybeOne(alerts?.waiting ?? null),
  ]),
];

/** The metrics of a bot that answers, in the sequence of the reference. */
export const BOT_METRICS: readonly BotMetric[] = [
  ...STATE,
  ...MONEY,
  ...TRADING,
  LATENCY,
  ...FEED,
  ...BUDGETS,
  ...MACHINE,
  ...ALERTS,
];

/** Metrics that do not come from the figures of a bot. */
export const OWN_METRICS = {
  up: {
    name: 'presage_up',
    type: 'gauge',
    labels: ['bot'],
    values: '',
    help: '1 when the bot answers, 0 when it has stopped, is dead, hangs, or is of another version',
  },
  consoleClients: {
    name: 'presage_console_clients',
    type: 'gauge',
    labels: [],
    values: '',
    help: 'Browsers that follow the console',
  },
  consoleDropped: {
    name: 'presage_console_dropped_total',
    type: 'counter',
    labels: [],
    values: '',
    help: 'Updates that the console did not send, because a browser was too slow',
  },
} as const satisfies Record<string, MetricInfo & { readonly type: 'gauge' | 'counter' }>;
