// Reads of a universe while a session runs: every list of it, and by ticker the markets that no list shows.
import { describe, expect, it } from 'vitest';
import type { ReadTarget } from '../../../src/domain/venue-command.ts';
import { type EventTicker, eventTicker, seriesTicker } from '../../../src/domain/ids.ts';
import type { EventGroup, Market } from '../../../src/domain/market.ts';
import { MarketDiscovery, type Universe } from '../../../src/execution/session/market-discovery.ts';
import { VenueReader } from '../../../src/execution/session/venue-reader.ts';
import { State } from '../../../src/state/state.ts';
import { BEGIN, aMarket, after, tickerOf, tickerTable } from '../../support/engine/builders.ts';

const OURS = seriesTicker('OURS');
const NAMED = eventTicker('NAMED');
const GROUP = eventTicker('OURS-1');
const OTHER = eventTicker('OTHER-1');

const aGroup = (name: EventTicker, series: string, members: readonly number[]): EventGroup => ({
  eventTicker: name,
  seriesTicker: seriesTicker(series),
  title: name,
  isExclusive: false,
  tickers: members.map(tickerOf),
});

/** A universe of one event group and one series that follows these markets, and what a refresh then requests. */
function refreshed(
  markets: readonly Market[],
  groups: readonly EventGroup[],
  universe: Partial<Universe> = {},
): readonly ReadTarget[] {
  const state = new State(tickerTable(20));
  const requests: ReadTarget[] = [];
  let commands = 0;
  const reader = new VenueReader({
    onEndless: () => {},
    enqueue: ({ target }) => requests.push(target) > 0,
    nextCommandId: () => (commands += 1),
  });
  const whole = { tickers: [], events: [NAMED], series: [OURS], ...universe };
  const discovery = new MarketDiscovery({ state, reader, universe: whole, sendFeed: () => {} });
  state.applyEvent({ kind: 'timer', at: after(1000) }, []);
  // A market that is paid out is known only if it was known before.
  for (const status of ['active', null] as const)
    for (const market of markets)
      state.applyEvent(
        { kind: 'market', at: after(1000), market: status === null ? market : { ...market, status } },
        [],
      );
  for (const group of groups) state.applyEvent({ kind: 'event-group', at: after(1000), group }, []);
  discovery.followKnown();
  discovery.refreshMarkets();
  return requests;
}

/** The markets requested by ticker. */
const namesOf = (requests: readonly ReadTarget[]): readonly string[] =>
  requests.flatMap((target) => (target.what === 'markets' && 'tickers' in target.by ? target.by.tickers : []));

const inGroup = (number: number, over: Partial<Market> = {}): Market =>
  aMarket(number, { eventTicker: GROUP, ...over });

describe('a refresh', () => {
  it('a refresh requests every list of the universe, and no market by ticker that they show', () => {
    const requests = refreshed(
      [inGroup(0), aMarket(1, { eventTicker: NAMED, status: 'closed' })],
      [aGroup(GROUP, 'OURS', [0]), aGroup(NAMED, 'ELSE', [1])],
      { tickers: [tickerOf(5)] },
    );
    expect(requests).toEqual([
      { what: 'markets', by: { eventTicker: NAMED } },
      { what: 'markets', by: { tickers: [tickerOf(5)] } },
      { what: 'events', seriesTicker: OURS, closesAfter: after(1000) },
    ]);
  });

  it('a refresh requests closed markets of a series and markets outside the universe by ticker, in order of index, until they are paid out', () => {
    const requests = refreshed(
      [
        aMarket(7, { eventTicker: OTHER }),
        inGroup(3, { status: 'closed' }),
        inGroup(2, { closeAt: BEGIN }),
        inGroup(4, { status: 'finalized' }),
        aMarket(6, { eventTicker: OTHER, status: 'finalized' }),
        inGroup(1),
      ],
      [aGroup(OTHER, 'ELSE', [6, 7]), aGroup(GROUP, 'OURS', [1, 2, 3, 4])],
    );
    expect(namesOf(requests)).toEqual([2, 3, 7].map(tickerOf));
  });

  it('a refresh requests a closed market of the universe by ticker once', () => {
    const requests = refreshed([inGroup(2, { status: 'closed' })], [aGroup(GROUP, 'OURS', [2])], {
      tickers: [tickerOf(2)],
    });
    expect(namesOf(requests)).toEqual([tickerOf(2)]);
  });

  it('a refresh requests the event group of a market that may belong to the universe when it is unknown', () => {
    const groupsOf = (requests: readonly ReadTarget[]): readonly unknown[] =>
      requests
        .filter(({ what }) => what === 'event')
        .map((target) => ('eventTicker' in target ? target.eventTicker : null));
    const markets: readonly Market[] = [
      inGroup(1),
      inGroup(0),
      aMarket(2, { eventTicker: OTHER, status: 'finalized' }),
    ];
    expect(groupsOf(refreshed(markets, []))).toEqual([GROUP]);
    expect(groupsOf(refreshed(markets, [aGroup(GROUP, 'OURS', [0, 1])]))).toEqual([]);
  });
});
