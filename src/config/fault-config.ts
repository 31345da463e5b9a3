// What is to go wrong at the local exchange, as a plan of rules: on requests, on the feed, with the clock, by themselves.
// A plan and a seed decide everything. Must never be in force unless somebody has written it down.
import { z } from 'zod';
import { durationField, intervalField, nameField } from './fields.ts';
import { GRID_NAMES } from './grid-names.ts';
import { readYaml } from './yaml.ts';

/** Endpoints by the names that profiles give them. */
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

/** Channels by the names that profiles give them. */
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

/** When a rule strikes. Times are since the exchange first started. */
const when = {
  accounts: z.array(nameField).min(1).optional(),
  from: durationField.optional(),
  until: durationField.optional(),
  /** Of those that fit, only this one, from 1. */
  nth: count.optional(),
  /** Of those that fit, this share; all of them when absent. */
  probability: z.number().min(0).max(1).default(1),
  /** So often at the most. */
  times: count.optional(),
  /** Once it has struck, everything that fits is struck for so long. */
  for: durationField.optional(),
};

/** Which requests: by endpoint, or all that read or trade. */
const onRequests = {
  ...when,
  on: z
    .array(z.enum(['reads', 'trades', ...ENDPOINT_NAMES]))
    .min(1)
    .optional(),
};
/** Which messages of the feed: by channel; replies are of none. */
const onMessages = { ...when, on: z.array(z.enum(CHANNEL_NAMES)).min(1).optional() };

/** What is said where a kind is none of those there are. */
const oneOf = (...kinds: readonly string[]) => ({ error: `one of ${kinds.join(', ')}` });

const requestRule = z.discriminatedUnion(
  'fault',
  [
    /** Carried out, and the connection dropped instead of an answer. */
    z.strictObject({ fault: z.literal('drop-answer'), ...onRequests }),
    /** The connection dropped, and nothing carried out. */
    z.strictObject({ fault: z.literal('drop-request'), ...onRequests }),
    /** Late: before it is carried out, before it is answered, or both. */
    z.strictObject({
      fault: z.literal('delay'),
      before: durationField.prefault('0ms'),
      after: durationField.prefault('0ms'),
      ...onRequests,
    }),
    /** Refused for its rate. `retryAfter` in whole seconds; absent as the profile says. */
    z.strictObject({
      fault: z.literal('too-many-requests'),
      retryAfter: z.union([z.number().int().min(0).max(3600), z.literal('never-said')]).optional(),
      ...onRequests,
    }),
    /** The server breaks, before it carries the request out or after. */
    z.strictObject({
      fault: z.literal('server-error'),
      status: z.number().int().min(500).max(599).default(503),
      acts: z.boolean().default(false),
      ...onRequests,
    }),
    /** Carried out, and answered with success and a body of no use. */
    z.strictObject({
      fault: z.literal('odd-answer'),
      body: z.enum(['no-order', 'empty', 'garbage']).default('no-order'),
      ...onRequests,
    }),
    /** Reads are answered as of so long ago. */
    z.strictObject({ fault: z.literal('stale'), by: durationField, ...onRequests }),
  ],
  oneOf('drop-answer', 'drop-request', 'delay', 'too-many-requests', 'server-error', 'odd-answer', 'stale'),
);

const feedRule = z.discriminatedUnion(
  'fault',
  [
    /** The connection is closed politely, with this code. */
    z.strictObject({
      fault: z.literal('close'),
      code: z.number().int().min(1000).max(4999).default(1001),
      ...onMessages,
    }),
    /** The connection breaks. */
    z.strictObject({ fault: z.literal('cut'), ...onMessages }),
    /** The connection stays, and nothing comes through it: no message, no ping. Forever, unless `lasting`. */
    z.strictObject({ fault: z.literal('silence'), lasting: durationField.optional(), ...onMessages }),
    /** The message is lost: its number of the sequence is skipped. */
    z.strictObject({ fault: z.literal('lose'), ...onMessages }),
    z.strictObject({ fault: z.literal('duplicate'), ...onMessages }),
    /** The message comes after the next one. */
    z.strictObject({ fault: z.literal('reorder'), ...onMessages }),
    /** The message comes cut in half, or is no JSON at all. */
    z.strictObject({ fault: z.literal('garbage'), body: z.enum(['half', 'noise']).default('half'), ...onMessages }),
    /** The message, and all after it, are late; each one struck makes it later. */
    z.strictObject({
      fault: z.literal('slow'),
      by: durationField,
      growing: durationField.prefault('0ms'),
      ...onMessages,
    }),
    /** The message's channel is over: every subscription to it ends with a channel error. */
    z.strictObject({ fault: z.literal('end-channel'), ...onMessages }),
  ],
  oneOf('close', 'cut', 'silence', 'lose', 'duplicate', 'reorder', 'garbage', 'slow', 'end-channel'),
);

/** The exchange's clock, as its dates and its judgment of timestamps show it. */
const clockRule = z
  .strictObject({
    from: durationField.prefault('0ms'),
    until: durationField.optional(),
    ahead: durationField.optional(),
    behind: durationField.optional(),
  })
  .refine((rule) => (rule.ahead === undefined) !== (rule.behind === undefined), { message: 'either ahead or behind' });

/** What comes by itself: once `after` so long, or again and again, `every` so long on average. */
const moments = { after: durationField.optional(), every: intervalField.optional(), times: count.optional() };
const market = nameField.optional();

const incidentRule = z
  .discriminatedUnion(
    'incident',
    [
      /** Trading stops everywhere; or the whole exchange, cancels too. */
      z.strictObject({
        incident: z.literal('pause'),
        of: z.enum(['trading', 'exchange']).default('trading'),
        for: durationField,
        ...moments,
      }),
      /** One market stops and goes on; what rested is canceled then. */
      z.strictObject({ incident: z.literal('halt'), market, for: durationField, ...moments }),
      z.strictObject({ incident: z.literal('close-early'), market, ...moments }),
      z.strictObject({
        incident: z.literal('move-close'),
        market,
        sooner: durationField.optional(),
        later: durationField.optional(),
        ...moments,
      }),
      /** A declared answer is disputed for so long, then stands or is changed. */
      z.strictObject({
        incident: z.literal('dispute'),
        market,
        for: durationField,
        outcome: z.enum(['uphold', 'amend']).default('uphold'),
        ...moments,
      }),
      /** A market's prices lie on another grid from now on, unless an order rests off it. */
      z.strictObject({ incident: z.literal('regrid'), market, grid: z.enum(GRID_NAMES), ...moments }),
      /** The exchange dies without a word and comes back on its log. */
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
  /** In place of the exchange's. */
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

/** Every kind of fault there is. */
export type FaultKind = RequestRule['fault'] | FeedRule['fault'] | IncidentRule['incident'] | 'clock';

/**
 * Reads a faults file.
 * @throws {ConfigError} when it cannot be used.
 */
export const readFaultPlan = (file: string): FaultPlan => readYaml(file, faultsSchema);
