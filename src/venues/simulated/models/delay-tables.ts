// Delays by tables of quantiles: a table for all messages, and tables for kinds of requests and hours of the day. Must
// never take more than one draw for a delay.
import type { DelayRow, RequestWay } from '../../../config/simulation-config.ts';
import type { Departure, UniformDraw } from '../simulator-interfaces.ts';

const HOUR_US = 3_600_000_000;

/** The hour of the day, UTC. */
export const hourOfDay = (at: number): number => Math.floor(at / HOUR_US) % 24;

/**
 * Returns the inverse of the distribution function that a table describes: straight lines between its quantiles.
 * @param quantiles percentages from 0 to 100 with their delays, both ascending.
 */
export function quantileFunction(quantiles: DelayRow['quantiles']): (share: number) => number {
  const shares = quantiles.map(([percent]) => percent / 100);
  const delays = quantiles.map(([, delay]) => delay);
  return (share) => {
    let upper = 1;
    while (upper < shares.length - 1 && (shares[upper] ?? 1) < share) upper += 1;
    const [from, to] = [shares[upper - 1] ?? 0, shares[upper] ?? 1];
    const [low, high] = [delays[upper - 1] ?? 0, delays[upper] ?? 0];
    return Math.round(low + ((high - low) * (share - from)) / (to - from));
  };
}

/** Draws the delay of a message from the table of its way and hour; from the next more general table without one. */
export function delayTables(rows: readonly DelayRow[]): (draw: UniformDraw, departure: Departure) => number {
  const tables = new Map(rows.map(({ way, hour, quantiles }) => [keyOf(way, hour), quantileFunction(quantiles)]));
  const forAll = tables.get(keyOf());
  return (draw, { at, way }) => {
    const hour = hourOfDay(at);
    const table =
      (way === undefined ? undefined : (tables.get(keyOf(way, hour)) ?? tables.get(keyOf(way)))) ??
      tables.get(keyOf(undefined, hour)) ??
      forAll;
    return table?.(draw()) ?? 0;
  };
}

const keyOf = (way?: RequestWay, hour?: number): string => `${way ?? ''} ${hour ?? ''}`;
