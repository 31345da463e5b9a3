// Makes the operations that list the config's accounts, series, event groups and markets on the exchange. Must never
// change what is already listed: the exchange's stored inputs take precedence over the config.
import type { ExchangeConfig, MarketConfig } from '../../config/exchange-config.ts';
import type { ClearingMethod } from '../../domain/fee-schedule.ts';
import { eventTicker, seriesTicker, ticker } from '../../domain/ids.ts';
import { type Micros, type Money, micros } from '../../domain/units.ts';
import type { ExchangeReader } from '../machine/exchange-interface.ts';
import { namedGrid } from './named-grids.ts';
import type { MarketDefinition, Op } from '../machine/exchange-input.ts';
import { collateralAccountName } from '../accounts/collateral-accounts.ts';

/** Operations that list what the exchange lacks of the config. Each comes after the operations that it needs. */
export function listingOps(config: ExchangeConfig, exchange: ExchangeReader, now: Micros): Op[] {
  const markets = config.markets.filter((market) => !wasListed(market, exchange, now));
  return [
    ...config.accounts.flatMap(({ name, cash, shards, clearing }) => [
      ...accountOps(exchange, { name, cash, keepsHistory: true, clearing }),
      ...Object.entries(shards).flatMap(([shard, shardCash]) => {
        const account = collateralAccountName({ owner: name, subaccount: 0, shard: Number(shard) });
        return accountOps(exchange, { name: account, cash: shardCash, keepsHistory: true });
      }),
    ]),
    ...config.series.flatMap((series) => seriesOps(exchange, series, now)),
    ...config.eventGroups.flatMap((group): Op[] => {
      const name = eventTicker(group.ticker);
      const isOver = config.markets.some(isOf(group)) && !markets.some(isOf(group));
      if (exchange.group(name) || isOver) return [];
      const { title, subtitle, exclusive: isExclusive } = group;
      const definition = { ticker: name, seriesTicker: seriesTicker(group.series), title, subtitle, isExclusive };
      return [{ type: 'define-group', group: definition }];
    }),
    ...markets.map((market): Op => ({ type: 'define-market', market: definitionOf(market, now), isConfigured: true })),
  ];
}

const isOf =
  (group: ExchangeConfig['eventGroups'][number]) =>
  ({ eventGroup }: MarketConfig): boolean =>
    eventGroup === group.ticker;

/**
 * True for a market that is listed, or was paid out and removed since. A market whose close was before a later start of
 * the exchange counts as listed: it could not be listed now.
 */
function wasListed({ ticker: name, closesAt }: MarketConfig, exchange: ExchangeReader, now: Micros): boolean {
  const isOver = exchange.seq > 0 && closesAt !== undefined && closesAt <= now;
  return isOver || exchange.wasConfigured(ticker(name)) || exchange.market(ticker(name)) !== undefined;
}

function seriesOps(exchange: ExchangeReader, series: ExchangeConfig['series'][number], now: Micros): Op[] {
  const name = seriesTicker(series.ticker);
  const { title, category, frequency, tags, feeType, feeMultiplier } = series;
  const definition = { ticker: name, title, category, frequency, tags, feeType, feeMultiplierPercent: feeMultiplier };
  const hasFeeChanges = exchange.feeChanges(name).length > 0;
  return [
    ...(exchange.series(name) ? [] : [{ type: 'define-series', series: definition } as const]),
    ...(hasFeeChanges ? [] : series.feeChanges).map((change): Op => {
      const fees = { feeType: change.feeType, feeMultiplierPercent: change.feeMultiplier };
      const at = change.at ?? micros(now + (change.in ?? 0));
      return { type: 'set-series-fees', seriesTicker: name, fees, at };
    }),
  ];
}

/** Operations that open an account and deposit its cash, unless already done. */
export function accountOps(
  exchange: ExchangeReader,
  account: {
    readonly name: string;
    readonly cash: Money;
    readonly keepsHistory: boolean;
    readonly clearing?: ClearingMethod | undefined;
  },
): Op[] {
  const { name, cash, keepsHistory, clearing } = account;
  const ops: Op[] = [];
  if (!exchange.hasAccount(name))
    ops.push({ type: 'open-account', account: name, keepsHistory, ...(clearing && { clearing }) });
  // Checked separately from opening: the exchange may have stopped between the two.
  if (cash > 0 && (exchange.balance(name)?.deposited ?? 0) === 0)
    ops.push({ type: 'deposit', account: name, amount: cash });
  return ops;
}

function definitionOf(market: MarketConfig, now: Micros): MarketDefinition {
  const after = (delay: number): Micros => micros(now + delay);
  return {
    ticker: ticker(market.ticker),
    eventTicker: eventTicker(market.eventGroup),
    title: market.title,
    yesSubtitle: market.yes,
    noSubtitle: market.no,
    rules: market.rules,
    gridName: market.grid,
    gridRanges: namedGrid(market.grid).ranges,
    qtyStep: market.qtyStep,
    openAt: market.opensAt ?? after(market.opensIn ?? 0),
    closeAt: market.closesAt ?? after(market.closesIn ?? 0),
    canCloseEarly: market.canCloseEarly,
    settlementDelay: market.settlesAfter,
    strike: market.strike ?? null,
    feesWaivedUntil: market.feesWaivedUntil ?? null,
    shard: market.shard,
  };
}
