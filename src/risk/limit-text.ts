// The value of a limit as a config writes it. Pure.
import { findLimit, type LimitInfo, type LimitUnit } from './risk-limits.ts';

/** Whole numbers of a limit's unit in one of the config's. */
const SCALES: Readonly<Record<LimitUnit, number>> = {
  contracts: 100,
  dollars: 1_000_000,
  price: 10_000,
  distance: 10_000,
  milliseconds: 1,
  count: 1,
};

/** Writes a limit's value: `5`, `0.15`, `250ms`. */
export const limitText = ({ unit }: Pick<LimitInfo, 'unit'>, value: number): string =>
  `${value / SCALES[unit]}${unit === 'milliseconds' ? 'ms' : ''}`;

/** Writes the value of a limit that is named; a number of an unknown limit stays as it is. */
export function namedLimitText(name: string, value: number): string {
  const info = findLimit(name);
  return info === undefined ? String(value) : limitText(info, value);
}
