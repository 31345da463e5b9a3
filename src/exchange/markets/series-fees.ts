// Fee changes of a whole series, at once or at a later time. Must never touch an event group that has fee terms of its
// own.
import type { EventTicker, SeriesTicker } from '../../domain/ids.ts';
import { must } from '../../base/assert.ts';
import { applyFeeSchedule, feeTermsError } from './fee-terms.ts';
import type { ExchangeState } from '../machine/exchange-state.ts';
import type { FeeTerms, OperatorOp } from '../machine/exchange-input.ts';
import type { Answer } from '../machine/exchange-output.ts';
import { refusedAnswer } from '../machine/order-placement.ts';

/** Changes the fee terms of a series, or schedules the change. */
export function setSeriesFees(state: ExchangeState, op: OperatorOp & { type: 'set-series-fees' }): Answer {
  const { seriesTicker, fees, at } = op;
  if (!state.series.has(seriesTicker)) return refusedAnswer('invalid_parameters', `no series ${seriesTicker}`);
  const error = feeTermsError(fees);
  if (error !== null) return refusedAnswer('invalid_parameters', error);
  if (!Number.isSafeInteger(at)) return refusedAnswer('invalid_parameters', `fees: expected a time, found ${at}`);
  state.recordFeeChange({ seriesTicker, eventTicker: null, fees, at });
  if (at <= state.now) applySeriesFees(state, seriesTicker, fees);
  else state.timers.schedule(at, { type: 'fees', seriesTicker, fees });
  return { type: 'done' };
}

/** Applies new fee terms to a series, and to its event groups without terms of their own. */
export function applySeriesFees(state: ExchangeState, ticker: SeriesTicker, fees: FeeTerms): void {
  const series = must(state.series.get(ticker), `series ${ticker}`);
  state.series.set(ticker, { ...series, feeType: fees.feeType, feeMultiplierPercent: fees.feeMultiplierPercent });
  for (const [group, markets] of state.marketsByGroup) {
    if (usesSeriesFees(state, group, ticker)) for (const market of markets) applyFeeSchedule(state, market);
  }
}

function usesSeriesFees(state: ExchangeState, ticker: EventTicker, series: SeriesTicker): boolean {
  const group = must(state.groups.get(ticker), `event group ${ticker}`);
  return group.seriesTicker === series && (group.fees ?? null) === null;
}
