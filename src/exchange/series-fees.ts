// Fee changes of a whole series, at once or at a later time. Every change is recorded. Must never touch an event group
// that has fee terms of its own.
import type { EventTicker, SeriesTicker } from '../domain/ids.ts';
import { must } from '../domain/assert.ts';
import { recharge, wrongFees } from './fee-terms.ts';
import type { Floor } from './floor.ts';
import type { FeeTerms, OperatorOp } from './input.ts';
import type { Answer } from './output.ts';
import { refused } from './placing.ts';

/** Changes the fee terms of a series, or schedules the change. */
export function setSeriesFees(state: Floor, op: OperatorOp & { type: 'set-series-fees' }): Answer {
  const { seriesTicker, fees, at } = op;
  if (!state.series.has(seriesTicker)) return refused('invalid_parameters', `no series ${seriesTicker}`);
  const error = wrongFees(fees);
  if (error !== null) return refused('invalid_parameters', error);
  if (!Number.isSafeInteger(at)) return refused('invalid_parameters', `fees: expected a time, found ${at}`);
  state.noteFeeChange({ seriesTicker, eventTicker: null, fees, at });
  if (at <= state.now) chargeSeries(state, seriesTicker, fees);
  else state.timers.set(at, { type: 'fees', seriesTicker, fees });
  return { type: 'done' };
}

/** Applies new fee terms to a series. */
export function chargeSeries(state: Floor, ticker: SeriesTicker, fees: FeeTerms): void {
  const series = must(state.series.get(ticker), `series ${ticker}`);
  state.series.set(ticker, { ...series, feeType: fees.feeType, feeMultiplierPercent: fees.feeMultiplierPercent });
  for (const [group, markets] of state.marketsByGroup) {
    if (usesSeriesFees(state, group, ticker)) for (const market of markets) recharge(state, market);
  }
}

function usesSeriesFees(state: Floor, ticker: EventTicker, series: SeriesTicker): boolean {
  const group = must(state.groups.get(ticker), `event group ${ticker}`);
  return group.seriesTicker === series && (group.fees ?? null) === null;
}
