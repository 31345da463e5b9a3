// Endpoints about the exchange itself: status, schedule, rate limits and costs, fee changes, historical cutoff. Must
// never change anything.
import { micros } from '../../domain/units.ts';
import type { Endpoint } from '../../venues/trade-api/profiles/wire-profile.ts';
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import type { LimitRecord, StatusRecord, WeekRecord } from '../../venues/trade-api/wire/wire-records.ts';
import type { FeeChangeView } from '../machine/exchange-output.ts';
import { cutoffOf } from './row-ages.ts';
import type { EndpointCall, EndpointHandler, RateLimit } from '../api/endpoint-call.ts';
import { furtherRecordsOf } from './market-endpoints.ts';
import { pageOf } from './list-pages.ts';
import { maintenanceAt, defaultTier } from '../api/exchange-settings.ts';
import { readQuery } from './query-reading.ts';

export const status: EndpointHandler = {
  answer: (call) => codecOf(call.profile.records.status).encodeText(statusRecord(call)),
};

/** Every shard has the status of the whole exchange. */
function statusRecord({ exchange, session, settings }: EndpointCall): StatusRecord {
  const { isActive, isTrading } = exchange;
  const pause = isActive && isTrading ? null : maintenanceAt(settings, session.now());
  const description = (shard: number): string => (shard === 0 ? 'default' : `shard ${shard}`);
  return {
    isActive,
    isTrading,
    canTransfer: isActive,
    resumeAt: pause?.until ?? null,
    shards: settings.shards.map((shard) => ({
      shard,
      description: description(shard),
      isActive,
      isTrading,
      canTransfer: isActive,
    })),
  };
}

/** From midnight to midnight. */
const ALL_DAY = [{ opens: '00:00', closes: '00:00' }];
const ALWAYS: Omit<WeekRecord, 'from' | 'until'> = {
  monday: ALL_DAY,
  tuesday: ALL_DAY,
  wednesday: ALL_DAY,
  thursday: ALL_DAY,
  friday: ALL_DAY,
  saturday: ALL_DAY,
  sunday: ALL_DAY,
};
const FROM = micros(Date.UTC(2024, 11, 1) * 1000);
const UNTIL = micros(Date.UTC(2200, 11, 1) * 1000);

export const schedule: EndpointHandler = {
  answer(call) {
    const { maintenance } = call.settings;
    return codecOf(furtherRecordsOf(call).schedule).encodeText({
      schedule: { weeks: [{ from: FROM, until: UNTIL, ...ALWAYS }], maintenance },
    });
  },
};

export const userDataTimestamp: EndpointHandler = {
  answer(call) {
    const asOf = micros(Math.max(0, call.session.now() - call.settings.readLag));
    return codecOf(furtherRecordsOf(call).userDataTimestamp).encodeText({ asOf });
  },
};

export const limits: EndpointHandler = {
  answer: ({ profile, settings, limits: { read, trade } }) =>
    codecOf(profile.records.limits).encodeText({
      tier: settings.tier ?? defaultTier(profile) ?? 'local',
      read: limitRecord(read),
      trade: limitRecord(trade),
    }),
};

const limitRecord = (limit: RateLimit): LimitRecord =>
  limit.model === 'rolling-window'
    ? { count: limit.count, windowMs: limit.windowMs, refillPerSecond: null, capacity: null }
    : { count: null, windowMs: null, refillPerSecond: limit.refillPerSecond, capacity: limit.capacity };

export const endpointCosts: EndpointHandler = {
  answer(call) {
    const { basePath, endpoints } = call.profile;
    const all: readonly Endpoint[] = Object.values(endpoints);
    const defaultCost = commonest(all.map(({ cost }) => cost));
    const costs = all
      .filter(({ cost }) => cost !== defaultCost)
      .map(({ method, path, cost }) => ({ method, path: basePath + templateOf(path), cost }));
    return codecOf(furtherRecordsOf(call).endpointCosts).encodeText({ defaultCost, costs });
  },
};

const templateOf = (path: string): string =>
  path.replaceAll(
    /\{(\w+)\}/g,
    (_whole, part: string) => `:${part.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
  );

function commonest(costs: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const cost of costs) counts.set(cost, (counts.get(cost) ?? 0) + 1);
  const [first] = [...counts].sort(([, a], [, b]) => b - a);
  return first?.[0] ?? 1;
}

function feeChanges({ exchange }: EndpointCall, seriesTicker: string | null): FeeChangeView[] {
  const series = exchange.allSeries().filter(({ ticker }) => seriesTicker === null || ticker === seriesTicker);
  return series.flatMap(({ ticker }) => exchange.feeChanges(ticker));
}

export const seriesFeeChanges: EndpointHandler = {
  answer(call) {
    const { now } = call.exchange;
    const { seriesTicker, withPast } = readQuery(call);
    const changes = feeChanges(call, seriesTicker).flatMap(({ id, seriesTicker: series, eventTicker, fees, at }) =>
      eventTicker !== null || fees === null || (at <= now && withPast !== true)
        ? []
        : [{ id, seriesTicker: series, ...fees, at }],
    );
    return codecOf(furtherRecordsOf(call).seriesFeeChanges).encodeText({ changes });
  },
};

export const eventFeeChanges: EndpointHandler = {
  answer(call) {
    const query = readQuery(call);
    const changes = feeChanges(call, null).flatMap(({ id, seriesTicker, eventTicker, fees, at }) =>
      eventTicker === null || (query.eventTicker !== null && query.eventTicker !== eventTicker)
        ? []
        : [
            {
              id,
              eventTicker,
              seriesTicker,
              feeType: fees?.feeType ?? null,
              feeMultiplierPercent: fees?.feeMultiplierPercent ?? null,
              at,
            },
          ],
    );
    const page = pageOf(changes, { query, list: call.request.endpoint, keyOf: ({ id }) => id });
    return codecOf(furtherRecordsOf(call).eventFeeChanges).encodeText(page);
  },
};

export const historicalCutoff: EndpointHandler = {
  answer(call) {
    const cutoff = cutoffOf(call) ?? call.session.now();
    return codecOf(furtherRecordsOf(call).historicalCutoff).encodeText({
      marketsSettled: cutoff,
      printsCreated: cutoff,
      ordersUpdated: cutoff,
      positionsUpdated: cutoff,
    });
  },
};
