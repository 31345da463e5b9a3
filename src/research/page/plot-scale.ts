// Scales of the page's drawings: values to places and back to texts. Must never give a place outside of the drawing.
import { decimalText, roundedDollars } from '../../report/text/figure-text.ts';
import type { Domain } from '../search/search-space.ts';
import { unitOf } from '../trial/trial-figures.ts';
import type { ParamValue } from '../trial/study-trial.ts';

/** A scale of one axis. */
export interface Scale {
  /** Share of the axis, from 0 to 1. */
  readonly shareOf: (value: ParamValue) => number;
  readonly ticks: readonly { readonly share: number; readonly text: string }[];
}

const TICKS = 5;

/** A number as short as a label needs it. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6) return `${decimalText(value / 1e6, 1)}M`;
  if (size >= 1e4) return `${decimalText(value / 1e3, 0)}k`;
  return decimalText(value, 10).replace(/(\.\d{0,1}[1-9]|\.0*[1-9]\d?)\d*$|\.0+$/, (_, kept = '') => String(kept));
}

/** A figure of a trial as text: money in dollars, contracts, or a number. */
export function figureValueText(figure: string, value: number): string {
  const unit = unitOf(figure);
  if (unit === 'money') return roundedDollars(Math.round(value / 1e4) * 1e4);
  return shortNumber(unit === 'qty' ? value / 100 : value);
}

/** A figure as the label of an axis: whole dollars without cents. */
export const figureTickText = (figure: string, value: number): string =>
  figureValueText(figure, value).replace(/\.00$/, '');

/** Distance of ticks that people read easily: 1, 2 or 5 times a power of ten. */
function niceStep(span: number): number {
  const raw = span / TICKS;
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 5, 10].find((each) => each * power >= raw) ?? 10;
  return factor * power;
}

/** A linear scale from the lowest to the highest value. */
export function linearScale(low: number, high: number, show: (value: number) => string = shortNumber): Scale {
  const span = high - low;
  if (!(span > 0)) return { shareOf: () => 0.5, ticks: [{ share: 0.5, text: show(low) }] };
  const step = niceStep(span);
  const first = Math.ceil(low / step - 1e-9);
  const ticks = Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, at) => (first + at) * step);
  const shareOf = (value: ParamValue): number => inside((Number(value) - low) / span);
  return { shareOf, ticks: ticks.map((value) => ({ share: shareOf(value), text: show(value) })) };
}

/** A scale of counts: its ticks are whole numbers. */
export function countScale(most: number): Scale {
  const { shareOf, ticks } = linearScale(0, most);
  return { shareOf, ticks: ticks.filter(({ text }) => !text.includes('.')) };
}

const inside = (share: number): number => Math.min(1, Math.max(0, share));

function logScale(low: number, high: number): Scale {
  const span = Math.log(high / low);
  const shareOf = (value: ParamValue): number => inside(Math.log(Number(value) / low) / span);
  const ticks = Array.from({ length: TICKS }, (_, at) => low * Math.exp((span * at) / (TICKS - 1)));
  return {
    shareOf,
    ticks: ticks.map((value) => ({ share: shareOf(value), text: shortNumber(Number(value.toPrecision(2))) })),
  };
}

/** The scale of a parameter. */
export function paramScale(domain: Domain): Scale {
  if (domain.kind !== 'choice')
    return domain.log === true && domain.high > domain.low
      ? logScale(domain.low, domain.high)
      : linearScale(domain.low, domain.high);
  const { options } = domain;
  const shareOf = (value: ParamValue): number => (options.indexOf(value) + 0.5) / options.length;
  return { shareOf, ticks: options.map((option) => ({ share: shareOf(option), text: String(option) })) };
}

/** A linear scale over values, with room at both ends. */
export function valueScale(values: readonly number[], show?: (value: number) => string): Scale {
  const finite = values.filter((value) => Number.isFinite(value));
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  if (finite.length === 0) return linearScale(0, 0, show);
  const room = (high - low || Math.abs(high) || 1) * 0.05;
  return linearScale(low - room, high + room, show);
}
