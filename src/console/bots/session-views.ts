// Makes the API's views of one session. Pure. Must never show a figure without its time.
import type { z } from '@hono/zod-openapi';
import type {
  OrdersQuery,
  TimelineQuery,
  denialsSchema,
  feedSchema,
  ordersPageSchema,
  riskSchema,
  strategiesSchema,
  timelineSchema,
} from '../api/view-schemas.ts';
import type { LiveOrder, LiveSessionPart } from '../../runtime/follow/follow-messages.ts';
import type { BotState } from './bot-source.ts';

type LimitUse = LiveSessionPart['limits'][number];

type Session = NonNullable<BotState['session']>;

/** Returns a page of orders, newest first. The cursor is the client order id of the last row before the page. */
export function ordersPage(state: BotState, query: OrdersQuery): z.output<typeof ordersPageSchema> {
  const wanted = [...state.orders.values()].reverse().filter((order) => isWanted(order, query));
  const after = query.cursor === undefined ? -1 : wanted.findIndex((order) => order.clientOrderId === query.cursor);
  const orders = wanted.slice(after + 1, after + 1 + query.limit);
  const hasMore = after + 1 + orders.length < wanted.length;
  return { orders, cursor: hasMore ? (orders.at(-1)?.clientOrderId ?? null) : null, asOfUs: timeOf(state) };
}

const isWanted = (order: LiveOrder, { state, market, strategy, open }: OrdersQuery): boolean =>
  (state === undefined || order.state === state) &&
  (market === undefined || order.ticker === market) &&
  (strategy === undefined || order.strategy === strategy) &&
  (!open || order.isOpen);

/** Finds an order by its client order id or its venue order id. */
export const findOrder = (state: BotState, id: string): LiveOrder | undefined =>
  state.orders.get(id) ?? [...state.orders.values()].find(({ venueOrderId }) => venueOrderId === id);

/** The time of the session's figures. */
export const timeOf = ({ session }: BotState): number | null => session?.atUs ?? null;

export const strategiesView = ({ atUs, value }: Session): z.output<typeof strategiesSchema> => ({
  strategies: value.strategies,
  asOfUs: atUs,
});

/** Returns the limits of the account and the strategies, the most used first. */
export function riskView({ atUs, value }: Session): z.output<typeof riskSchema> {
  const { account, groups, overrides } = value;
  const limits = [...value.limits, ...value.strategies.flatMap((strategy) => strategy.limits)];
  return {
    account,
    limits: limits.toSorted((a, b) => shareOf(b) - shareOf(a)),
    groups: groups.toSorted((a, b) => b.worstMicros - a.worstMicros),
    overrides,
    asOfUs: atUs,
  };
}

const shareOf = ({ used, allowed }: LimitUse): number => (allowed === 0 ? (used > 0 ? 2 : 0) : used / allowed);

export function feedView({ atUs, value }: Session): z.output<typeof feedSchema> {
  const { feed, clock, drift, budgets } = value;
  return { feed, clock, drift, budgets, asOfUs: atUs };
}

/** Returns the events of a time span, newest first. */
export function timelineView(state: BotState, query: TimelineQuery): z.output<typeof timelineSchema> {
  const kinds = query.kind === undefined ? null : new Set(query.kind.split(','));
  const events = state.events
    .filter(({ atUs, kind }) => atUs >= query.from && atUs <= query.to && (kinds === null || kinds.has(kind)))
    .reverse()
    .slice(0, query.limit);
  return { events, asOfUs: timeOf(state) };
}

export function denialsView({ atUs, value }: Session, strategy: string | undefined): z.output<typeof denialsSchema> {
  const wanted = value.strategies.filter(({ name }) => strategy === undefined || name === strategy);
  return {
    denials: wanted.flatMap(({ name, denials }) => denials.map((each) => ({ strategy: name, ...each }))),
    remarks: wanted
      .flatMap(({ name, remarks }) => remarks.map((remark) => ({ ...remark, strategy: name })))
      .sort((a, b) => b.atUs - a.atUs),
    asOfUs: atUs,
  };
}
