// The values of a domain: how many there are, the value of an index, and the map between values and the unit interval. Must never
// return a value outside of its domain.
import type { ParamValue } from '../../trial/study-trial.ts';
import type { Choice, Domain, FloatRange, IntRange } from '../search-space.ts';

/** A numeric domain. */
export type NumericRange = IntRange | FloatRange;

/** A numeric domain on the scale on which its values are drawn: logarithms when `isLog`. */
export interface NumericScale {
  /** Lower end. Half a step below the lowest value when there is a step. */
  readonly low: number;
  /** Upper end. Half a step above the highest value when there is a step. */
  readonly high: number;
  readonly isLog: boolean;
  /** Distance between values before logarithms; `null` when the domain is continuous. */
  readonly step: number | null;
}

/** The distance between the values of a range; `null` when it is continuous. */
export const stepOf = (range: NumericRange): number | null => range.step ?? (range.kind === 'int' ? 1 : null);

/** Returns the scale of a numeric domain. */
export function scaleOf(range: NumericRange): NumericScale {
  const step = stepOf(range);
  const isLog = range.log ?? false;
  const low = range.low - (step ?? 0) / 2;
  const high = range.high + (step ?? 0) / 2;
  return { low: isLog ? Math.log(low) : low, high: isLog ? Math.log(high) : high, isLog, step };
}

/** Number of values of a domain. A continuous one has infinitely many. */
export function countValues(domain: Domain): number {
  if (domain.kind === 'choice') return domain.options.length;
  const step = stepOf(domain);
  return step === null ? Infinity : Math.round((domain.high - domain.low) / step) + 1;
}

/** Decimal places with which a number is written. */
function decimalsOf(x: number): number {
  const [digits = '', exponent = '0'] = String(x).split('e');
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent));
}

/** The value of an index, from 0. It has no more decimal places than the range's low end and step. */
function steppedValue(range: NumericRange, step: number, index: number): number {
  const value = range.low + index * step;
  return Number(value.toFixed(Math.min(100, Math.max(decimalsOf(range.low), decimalsOf(step)))));
}

/** Returns the value of an index, from 0, of a domain that has a step or options. */
export function valueAt(domain: Domain, index: number): ParamValue {
  const value = domain.kind === 'choice' ? domain.options[index] : numberAt(domain, index);
  if (value === undefined) throw new RangeError(`index ${index} of ${countValues(domain)} values`);
  return value;
}

function numberAt(range: NumericRange, index: number): number | undefined {
  const step = stepOf(range);
  return step === null || index < 0 || index >= countValues(range) ? undefined : steppedValue(range, step, index);
}

/** Returns the value of a range nearest to `x`. */
export function nearestValue(range: NumericRange, x: number): number {
  const step = stepOf(range);
  if (step === null) return Math.min(range.high, Math.max(range.low, x));
  const index = Math.round((x - range.low) / step);
  return steppedValue(range, step, Math.min(countValues(range) - 1, Math.max(0, index)));
}

/** Returns the index of an option. */
export function optionIndex(choice: Choice, value: ParamValue | undefined): number {
  const index = choice.options.findIndex((option) => option === value);
  if (index < 0)
    throw new RangeError(`expected one of ${JSON.stringify(choice.options)}, found ${JSON.stringify(value)}`);
  return index;
}

/** Returns the value of a domain at `u`, 0 ≤ u < 1: uniform draws of `u` give uniform values on the domain's scale. */
export function valueFromUnit(domain: Domain, u: number): ParamValue {
  if (domain.kind === 'choice') {
    const count = domain.options.length;
    return valueAt(domain, Math.min(count - 1, Math.floor(u * count)));
  }
  const { low, high, isLog } = scaleOf(domain);
  const x = low + u * (high - low);
  return nearestValue(domain, isLog ? Math.exp(x) : x);
}

/** Returns the place of a value in the unit interval. An option has the middle of its share. */
export function unitOfValue(domain: Domain, value: ParamValue): number {
  if (domain.kind === 'choice') return (optionIndex(domain, value) + 0.5) / domain.options.length;
  const { low, high, isLog } = scaleOf(domain);
  const x = Number(value);
  return ((isLog ? Math.log(x) : x) - low) / (high - low);
}
