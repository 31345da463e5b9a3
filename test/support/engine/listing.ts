// Answers of a scripted venue about its markets: single, in lists, in event groups and series. All groups are of one
// series, without exclusive outcomes; a list is one page long.
import type { ReadTarget } from '../../../src/domain/venue-command.ts';
import type { EngineEvent } from '../../../src/domain/event.ts';
import { type EventTicker, type SeriesTicker, seriesTicker } from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';

/** The series of every event group. */
export const SERIES: SeriesTicker = seriesTicker('SERIES');

type UntimedEvent = EngineEvent extends infer Each ? (Each extends EngineEvent ? Omit<Each, 'at'> : never) : never;

const marketEvent = (market: Market): UntimedEvent => ({ kind: 'market', market });

function groupEvent(eventTicker: EventTicker, markets: readonly Market[]): UntimedEvent {
  const tickers = markets.filter((market) => market.eventTicker === eventTicker).map(({ ticker }) => ticker);
  const group = { eventTicker, seriesTicker: SERIES, title: 'event', isExclusive: false, tickers };
  return { kind: 'event-group', group };
}

function groupEvents(markets: readonly Market[], closesAfter: number): UntimedEvent[] {
  const live = new Set(markets.filter(({ closeAt }) => closeAt >= closesAfter).map((market) => market.eventTicker));
  const nested = (name: EventTicker): UntimedEvent[] =>
    markets.filter((market) => market.eventTicker === name).map(marketEvent);
  return [...live].flatMap((name) => [groupEvent(name, markets), ...nested(name)]);
}

/** The answer to a read of markets; `null` when the read is about something else. */
export function listingAnswer(
  target: ReadTarget,
  commandId: number,
  markets: readonly Market[],
): UntimedEvent[] | null {
  const listed: UntimedEvent = { kind: 'markets-listed', commandId, cursor: null };
  switch (target.what) {
    case 'event':
      return [groupEvent(target.eventTicker, markets)];
    case 'events':
      return [...groupEvents(markets, target.closesAfter ?? 0), listed];
    case 'series': {
      const named = { ticker: target.seriesTicker, title: 'series', category: 'test', frequency: 'once' };
      // A fee type that the engine does not know: the fees here are flat.
      return [{ kind: 'series', series: { ...named, feeType: 'flat', feeMultiplierPercent: 100 } }];
    }
    case 'fee-changes':
      return [{ kind: 'fees-scheduled', seriesTicker: target.seriesTicker, changes: [] }];
    case 'market':
      return markets.filter((market) => market.ticker === target.ticker).map(marketEvent);
    case 'markets': {
      const { by } = target;
      const isRequested = (market: Market): boolean =>
        'tickers' in by
          ? by.tickers.includes(market.ticker)
          : 'seriesTicker' in by || by.eventTicker === market.eventTicker;
      return [...markets.filter(isRequested).map(marketEvent), listed];
    }
    case 'balance':
    case 'book':
    case 'fills':
    case 'limits':
    case 'order':
    case 'orders':
    case 'positions':
    case 'queue-positions':
    case 'settlements':
    case 'status':
      return null;
  }
}
