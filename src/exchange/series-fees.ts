// How a whole series is charged, from a time on: at once, or when that time comes. Every change is remembered.
// Must never touch an event group that is charged by terms of its own.
import type { EventTicker, SeriesTicker } from '../domain/ids.ts';
import { must } from '../domain/assert.ts';
import { recharge, wrongFees } from './fee-terms.ts';
import type { Floor } from './floor.ts';
import type { FeeTerms, OperatorOp } from './input.ts';
import type { Answer } from './output.ts';
import { refused } from './placing.ts';

/** Changes how a series is charged, or sets the time for it. */
export function setSeriesFees(floor: Floor, op: OperatorOp & { type: 'set-series-fees' }): Answer {
  const { seriesTicker, fees, at } = op;
  if (!floor.series.has(seriesTicker)) return refused('invalid_parameters', `no series ${seriesTicker}`);
  const wrong = wrongFees(fees);
  if (wrong !== null) return refused('invalid_parameters', wrong);
  if (!Number.isSafeInteger(at)) return refused('invalid_parameters', `fees: expected a time, found ${at}`);
  floor.noteFeeChange({ seriesTicker, eventTicker: null, fees, at });
  if (at <= floor.now) chargeSeries(floor, seriesTicker, fees);
  else floor.timers.set(at, { type: 'fees', seriesTicker, fees });
  return { type: 'done' };
}

/** A series is charged so from now on. */
export function chargeSeries(floor: Floor, ticker: SeriesTicker, fees: FeeTerms): void {
  const series = must(floor.series.get(ticker), `series ${ticker}`);
  floor.series.set(ticker, { ...series, feeType: fees.feeType, feeMultiplierPercent: fees.feeMultiplierPercent });
  for (const [group, markets] of floor.marketsByGroup) {
    if (followsSeries(floor, group, ticker)) for (const market of markets) recharge(floor, market);
  }
}

function followsSeries(floor: Floor, ticker: EventTicker, series: SeriesTicker): boolean {
  const group = must(floor.groups.get(ticker), `event group ${ticker}`);
  return group.seriesTicker === series && (group.fees ?? null) === null;
}
