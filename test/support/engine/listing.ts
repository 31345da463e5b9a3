// What a scripted venue answers about its markets: single, in lists, in event groups and series. All groups are of one
// series and of no exclusive outcomes; a list is one page long.
import type { ReadTarget } from '../../../src/domain/command.ts';
import type { EngineEvent } from '../../../src/domain/event.ts';
import { type EventTicker, type SeriesTicker, seriesTicker } from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';

/** The series that every event group is of. */
export const SERIES: SeriesTicker = seriesTicker('SERIES');

type Told = EngineEvent extends infer Each ? (Each extends EngineEvent ? Omit<Each, 'at'> : never) : never;

const tellMarket = (market: Market): Told => ({ kind: 'market', market });

function tellGroup(eventTicker: EventTicker, markets: readonly Market[]): Told {
  const tickers = markets.filter((market) => market.eventTicker === eventTicker).map(({ ticker }) => ticker);
  const group = { eventTicker, seriesTicker: SERIES, title: 'event', isExclusive: false, tickers };
  return { kind: 'event-group', group };
}

function tellGroups(markets: readonly Market[], closesAfter: number): Told[] {
  const live = new Set(markets.filter(({ closeAt }) => closeAt >= closesAfter).map((market) => market.eventTicker));
  const nested = (name: EventTicker): Told[] => markets.filter((one) => one.eventTicker === name).map(tellMarket);
  return [...live].flatMap((name) => [tellGroup(name, markets), ...nested(name)]);
}

/** What is told of markets; `null` when the target is something else. */
export function listingAnswer(target: ReadTarget, commandId: number, markets: readonly Market[]): Told[] | null {
  const listed: Told = { kind: 'markets-listed', commandId, cursor: null };
  switch (target.what) {
    case 'event':
      return [tellGroup(target.eventTicker, markets)];
    case 'events':
      return [...tellGroups(markets, target.closesAfter ?? 0), listed];
    case 'series': {
      const named = { ticker: target.seriesTicker, title: 'series', category: 'test', frequency: 'once' };
      // A way of charging that nobody knows: the fees here are flat.
      return [{ kind: 'series', series: { ...named, feeType: 'flat', feeMultiplierPercent: 100 } }];
    }
    case 'fee-changes':
      return [{ kind: 'fees-scheduled', seriesTicker: target.seriesTicker, changes: [] }];
    case 'market':
      return markets.filter((market) => market.ticker === target.ticker).map(tellMarket);
    case 'markets': {
      const { by } = target;
      const isAsked = (market: Market): boolean =>
        'tickers' in by
          ? by.tickers.includes(market.ticker)
          : 'seriesTicker' in by || by.eventTicker === market.eventTicker;
      return [...markets.filter(isAsked).map(tellMarket), listed];
    }
    default:
      return null;
  }
}
