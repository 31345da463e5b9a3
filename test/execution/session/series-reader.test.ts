// When series and their planned fees are requested: once, again after the series was forgotten, and plans every hour.
import { describe, expect, it } from 'vitest';
import type { ReadTarget } from '../../../src/domain/venue-command.ts';
import { eventTicker, seriesTicker } from '../../../src/domain/ids.ts';
import { SeriesReader } from '../../../src/execution/session/series-reader.ts';
import { State } from '../../../src/state/state.ts';
import { M0, aMarket, after, tickerTable } from '../../support/engine/builders.ts';
import { aGroup, aSeries } from '../../risk/rule-context.ts';

const HOUR_MS = 3_600_000;

function reading(tellsFeeChanges: boolean) {
  const state = new State(tickerTable(1));
  const requests: ReadTarget['what'][] = [];
  const reader = new SeriesReader({
    state,
    canReadFeeChanges: tellsFeeChanges,
    reader: { requestRead: ({ what }) => void requests.push(what) },
  });
  /** Describes the group at a time; returns the requests made then. */
  const describedAt = (milliseconds: number): ReadTarget['what'][] => {
    requests.length = 0;
    state.applyEvent({ kind: 'market', at: after(milliseconds), market: aMarket(0) }, []);
    state.applyEvent({ kind: 'event-group', at: after(milliseconds), group: aGroup(1) }, []);
    reader.onGroupKnown(eventTicker('EVENT'));
    return [...requests];
  };
  const describeGroup = (): void => void state.applyEvent({ kind: 'series', at: state.now, series: aSeries() }, []);
  return { state, describedAt, describeGroup };
}

describe('a series', () => {
  it('requests a series once, and again after it was forgotten', () => {
    const { state, describedAt, describeGroup } = reading(false);
    expect([describedAt(0), describedAt(1)]).toEqual([['series'], []]);
    describeGroup();
    expect(describedAt(2 * HOUR_MS)).toEqual([]);
    state.markets.evictMarkets([M0]);
    expect(state.markets.series(seriesTicker('SERIES'))).toBeUndefined();
    expect(describedAt(2 * HOUR_MS + 1)).toEqual(['series']);
  });
});

describe('planned fees', () => {
  it('requests planned fees with the series, every hour, and again with the series', () => {
    const { state, describedAt, describeGroup } = reading(true);
    expect([describedAt(0), describedAt(1)]).toEqual([['series', 'fee-changes'], []]);
    describeGroup();
    expect([describedAt(HOUR_MS - 1), describedAt(HOUR_MS), describedAt(HOUR_MS + 1)]).toEqual([
      [],
      ['fee-changes'],
      [],
    ]);
    state.markets.evictMarkets([M0]);
    expect(describedAt(HOUR_MS + 2)).toEqual(['series', 'fee-changes']);
  });
});
