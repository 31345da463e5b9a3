// Defines fault plans for the local exchange: rules for requests, feed messages and the clock, and incidents. A plan
// and a seed decide everything. Must never give a default rule.
import { z } from 'zod';
import { durationField, intervalField, nameField } from './fields.ts';
import { GRID_NAMES } from './grid-names.ts';
import { readYaml } from './yaml.ts';

/** Endpoints by their names in profiles. */
export const ENDPOINT_NAMES = [
  'status',
  'limits',
  'markets',
  'market',
  'book',
  'prints',
  'events',
  'event',
  'seriesList',
  'series',
  'candles',
  'balance',
  'positions',
  'orders',
  'order',
  'fills',
  'settlements',
  'createOrder',
  'cancelOrder',
  'createOrders',
  'cancelOrders',
  'amendOrder',
  'decreaseOrder',
  'books',
  'candlesBatch',
  'eventCandles',
  'eventMetadata',
  'schedule',
  'userDataTimestamp',
  'endpointCosts',
  'seriesFeeChanges',
  'eventFeeChanges',
  'historicalCutoff',
  'historicalMarkets',
  'historicalMarket',
  'historicalCandles',
  'historicalPrints',
  'historicalOrders',
  'historicalFills',
  'historicalPositions',
  'cancelAll',
  'queuePosition',
  'queuePositions',
  'restingValue',
  'createGroup',
  'groups',
  'group',
  'deleteGroup',
  'resetGroup',
  'triggerGroup',
  'limitGroup',
  'createSubaccount',
  'subaccountTransfer',
  'subaccountTransfers',
  'subaccountBalances',
  'netting',
  'shardTransfer',
  'shardTransfers',
  'shardTransferOf',
  'apiKeys',
  'communicationsId',
  'tagsByCategory',
  'announcements',
  'multivariateEvents',
  'forecastHistory',
  'deposits',
  'withdrawals',
  'allocation',
  'quoteRequests',
  'quoteRequest',
  'quoteOfRequest',
  'quotes',
  'quote',
  'blockTrades',
  'volumeProgress',
  'sportFilters',
  'milestones',
  'milestone',
  'milestoneData',
  'milestoneDataOfType',
  'milestonesData',
  'gameStats',
  'eventData',
  'structuredTargets',
  'structuredTarget',
  'collections',
  'collection',
  'collectionLookups',
  'incentives',
] as const;

/** Channels by their names in profiles. */
export const CHANNEL_NAMES = [
  'book',
  'ticker',
  'prints',
  'fills',
  'orders',
  'positions',
  'lifecycle',
  'groups',
] as const;

const count = z.number().int().min(1);

/**
 * Conditions of a rule. Times count from the start of the exchange's process. The incident `crash` does not reset them.
 */
const when = {
  accounts: z.array(nameField).min(1).optional(),
  from: durationField.optional(),
  until: durationField.optional(),
  /** Affects only the fitting request or message of this number, counted from 1. */
  nth: count.optional(),
  /** Share of the fitting requests or messages that are affected. */
  probability: z.number().min(0).max(1).default(1),
  /** Maximum number of times that the rule applies. Effects of `for` do not count. */
  times: count.optional(),
  /** After the rule has applied, every fitting request or message is affected for this duration. */
  for: durationField.optional(),
};

/** Affected requests: by endpoint, or all reads or all trades. */
const onRequests = {
  ...when,
  on: z
    .array(z.enum(['reads', 'trades', ...ENDPOINT_NAMES]))
    .min(1)
    .optional(),
};
/** Affected feed messages, by channel. Replies belong to no channel. */
const onMessages = { ...when, on: z.array(z.enum(CHANNEL_NAMES)).min(1).optional() };

const oneOf = (...kinds: readonly string[]) => ({ error: `one of ${kinds.join(', ')}` });

const requestRule = z.discriminatedUnion(
  'fault',
  [
    /** Carries the request out, and drops the connection instead of answering. */
    z.strictObject({ fault: z.literal('drop-answer'), ...onRequests }),
    /** Drops the connection without carrying the request out. */
    z.strictObject({ fault: z.literal('drop-request'), ...onRequests }),
    /** Delays a request before it is carried out, before it is answered, or both. */
    z.strictObject({
      fault: z.literal('delay'),
      before: durationField.prefault('0ms'),
      after: durationField.prefault('0ms'),
      ...onRequests,
    }),
    /**
     * Refuses a request because of the rate limit. `retryAfter` is in whole seconds, and `never-said` leaves it out.
     * Without it, the profile decides.
     */
    z.strictObject({
      fault: z.literal('too-many-requests'),
      retryAfter: z.union([z.number().int().min(0).max(3600), z.literal('never-said')]).optional(),
      ...onRequests,
    }),
    /** Fails with a server error. `acts` first carries the request out. */
    z.strictObject({
      fault: z.literal('server-error'),
      status: z.number().int().min(500).max(599).default(503),
      acts: z.boolean().default(false),
      ...onRequests,
    }),
    /** Carries the request out, and answers with success and a useless body. */
    z.strictObject({
      fault: z.literal('odd-answer'),
      body: z.enum(['no-order', 'empty', 'garbage']).default('no-order'),
      ...onRequests,
    }),
    /** Answers reads with data of this age. */
    z.strictObject({ fault: z.literal('stale'), by: durationField, ...onRequests }),
  ],
  oneOf('drop-answer', 'drop-request', 'delay', 'too-many-requests', 'server-error', 'odd-answer', 'stale'),
);

const feedRule = z.discriminatedUnion(
  'fault',
  [
    /** Closes the connection with a close frame of this code. */
    z.strictObject({
      fault: z.literal('close'),
      code: z.number().int().min(1000).max(4999).default(1001),
      ...onMessages,
    }),
    /** Breaks the connection. */
    z.strictObject({ fault: z.literal('cut'), ...onMessages }),
    /** Keeps the connection open and sends nothing, not even a ping. Lasts forever, unless `lasting` is set. */
    z.strictObject({ fault: z.literal('silence'), lasting: durationField.optional(), ...onMessages }),
    /** Loses the message: its sequence number is skipped. */
    z.strictObject({ fault: z.literal('lose'), ...onMessages }),
    z.strictObject({ fault: z.literal('duplicate'), ...onMessages }),
    /** Sends the message after the next message. */
    z.strictObject({ fault: z.literal('reorder'), ...onMessages }),
    /** Sends half of the message, or bytes that are not JSON. */
    z.strictObject({ fault: z.literal('garbage'), body: z.enum(['half', 'noise']).default('half'), ...onMessages }),
    /** Delays the message and all later messages by `by`. Each affected message adds `growing` to the delay. */
    z.strictObject({
      fault: z.literal('slow'),
      by: durationField,
      growing: durationField.prefault('0ms'),
      ...onMessages,
    }),
    /** Ends the message's channel: every subscription to it ends with a channel error. */
    z.strictObject({ fault: z.literal('end-channel'), ...onMessages }),
  ],
  oneOf('close', 'cut', 'silence', 'lose', 'duplicate', 'reorder', 'garbage', 'slow', 'end-channel'),
);

/** Offset of the exchange's clock, in its dates and its checks of timestamps. */
const clockRule = z
  .strictObject({
    from: durationField.prefault('0ms'),
    until: durationField.optional(),
    ahead: durationField.optional(),
    behind: durationField.optional(),
  })
  .refine((rule) => (rule.ahead === undefined) !== (rule.behind === undefined), { message: 'either ahead or behind' });

/**
 * Schedule of an incident: once after `after`, or repeatedly at an average interval of `every`. With both, the first
 * incident is after `after`.
 */
const moments = { after: durationField.optional(), every: intervalField.optional(), times: count.optional() };
const market = nameField.optional();

const incidentRule = z
  .discriminatedUnion(
    'incident',
    [
      /** Stops trading everywhere. With `of: exchange`, the exchange refuses cancels, too. */
      z.strictObject({
        incident: z.literal('pause'),
        of: z.enum(['trading', 'exchange']).default('trading'),
        for: durationField,
        ...moments,
      }),
      /** Stops one market and resumes it later. Orders that rest in the market are canceled at the resumption. */
      z.strictObject({ incident: z.literal('halt'), market, for: durationField, ...moments }),
      z.strictObject({ incident: z.literal('close-early'), market, ...moments }),
      z.strictObject({
        incident: z.literal('move-close'),
        market,
        sooner: durationField.optional(),
        later: durationField.optional(),
        ...moments,
      }),
      /** Disputes a determined result for this long, then upholds or amends it. */
      z.strictObject({
        incident: z.literal('dispute'),
        market,
        for: durationField,
        outcome: z.enum(['uphold', 'amend']).default('uphold'),
        ...moments,
      }),
      /** Moves a market to another price grid, unless an order rests off that grid. */
      z.strictObject({ incident: z.literal('regrid'), market, grid: z.enum(GRID_NAMES), ...moments }),
      /** Crashes the exchange and restarts it from its log. */
      z.strictObject({ incident: z.literal('crash'), for: durationField, ...moments }),
    ],
    oneOf('pause', 'halt', 'close-early', 'move-close', 'dispute', 'regrid', 'crash'),
  )
  .superRefine((rule, context) => {
    if (rule.after === undefined && rule.every === undefined)
      context.addIssue({ code: 'custom', message: 'after, every, or both' });
    if (rule.incident === 'move-close' && (rule.sooner === undefined) === (rule.later === undefined))
      context.addIssue({ code: 'custom', message: 'either sooner or later' });
  });

/** The `faults` section, and the whole of a faults file. */
export const faultsSchema = z.strictObject({
  /** Seed of the faults, in place of the exchange's seed. */
  seed: z.number().int().min(0).max(0xffff_ffff).optional(),
  requests: z.array(requestRule).default([]),
  feed: z.array(feedRule).default([]),
  clock: z.array(clockRule).default([]),
  incidents: z.array(incidentRule).default([]),
});

export type FaultPlan = z.output<typeof faultsSchema>;
export type RequestRule = FaultPlan['requests'][number];
export type FeedRule = FaultPlan['feed'][number];
export type ClockRule = FaultPlan['clock'][number];
export type IncidentRule = FaultPlan['incidents'][number];
export type FaultWhen = Pick<RequestRule, 'from' | 'until' | 'nth' | 'probability' | 'times' | 'for'>;

/** Every kind of fault. */
export type FaultKind = RequestRule['fault'] | FeedRule['fault'] | IncidentRule['incident'] | 'clock';

/**
 * Reads a faults file.
 * @throws {ConfigError} when the file cannot be used.
 */
export const readFaultPlan = (file: string): FaultPlan => readYaml(file, faultsSchema);
