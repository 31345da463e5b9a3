// A drawing with two axes as SVG. Must never use a color of its own: classes take them from the page's styles.
import { type Markup, html } from '../../report/page/markup.ts';
import type { Scale } from './plot-scale.ts';

/** A drawing with two axes. */
export interface Plot {
  /** Describes the drawing for those who do not see it. */
  readonly label: string;
  readonly x: Scale;
  readonly y: Scale;
  readonly xTitle: string;
  readonly yTitle: string;
  /** Marks inside, placed by `placeX` and `placeY`. */
  readonly marks: readonly Markup[];
  readonly isWide?: boolean;
}

const HEIGHT = 230;
const LEFT = 62;
const RIGHT = 14;
const TOP = 22;
const BOTTOM = 38;
const NARROW = 360;
const WIDE = 720;

const widthOf = (isWide: boolean | undefined): number => (isWide === true ? WIDE : NARROW);
const short = (place: number): string => place.toFixed(1);

/** Place of a share of the horizontal axis. */
export const placeX = (share: number, isWide?: boolean): string =>
  short(LEFT + share * (widthOf(isWide) - LEFT - RIGHT));
/** Place of a share of the vertical axis, which goes up. */
export const placeY = (share: number): string => short(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM));

/** Draws a plot. */
export function drawPlot({ label, x, y, xTitle, yTitle, marks, isWide }: Plot): Markup {
  const width = widthOf(isWide);
  const [left, right] = [placeX(0, isWide), placeX(1, isWide)];
  return html`<svg
    class="frame ${isWide === true ? 'spread' : ''}"
    viewBox="0 0 ${width} ${HEIGHT}"
    role="img"
    aria-label="${label}"
  >
    ${y.ticks.map(
      ({ share, text }) =>
        html`<line class="grid" x1="${left}" x2="${right}" y1="${placeY(share)}" y2="${placeY(share)}" /><text
            class="tick end"
            x="${LEFT - 7}"
            y="${placeY(share)}"
            dy="4"
          >
            ${text}
          </text>`,
    )}
    ${x.ticks.map(
      ({ share, text }) =>
        html`<text class="tick mid" x="${placeX(share, isWide)}" y="${HEIGHT - BOTTOM + 16}">${text}</text>`,
    )}
    <text class="title" x="${LEFT}" y="12">${yTitle}</text>
    <text class="title end" x="${right}" y="${HEIGHT - 4}">${xTitle}</text>
    <line class="axis" x1="${left}" x2="${right}" y1="${placeY(0)}" y2="${placeY(0)}" />
    ${marks}
  </svg>`;
}
