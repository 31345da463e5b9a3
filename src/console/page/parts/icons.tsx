// The icons of the page: paths of 20 by 20 units, in the color of the text. Each is decoration beside a text.
import type { JSX } from 'preact';

const PATHS = {
  overview: 'M3 3h6v8H3zM11 3h6v5h-6zM11 10h6v7h-6zM3 13h6v4H3z',
  markets: 'M3 5h14M3 10h14M3 15h14',
  market: 'M3 16l4-6 3 3 6-9M3 17h14',
  orders: 'M4 6h9M4 10h12M4 14h6M15 14l1.5 1.5L19 12',
  strategies: 'M5 16V9M10 16V4M15 16v-5',
  risk: 'M3 14a7 7 0 0 1 14 0M10 14l4-4',
  feed: 'M3 10h3l2-5 4 10 2-5h3',
  timeline: 'M10 3v4M10 9v3M10 14v3M10 7.5a.5.5 0 1 0 0 .1M14 5h3M14 10h3M3 12.5h4',
  why: 'M7 7.5a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.1-1.5 2.4M10 15.5v.6',
  more: 'M4 10h.1M10 10h.1M16 10h.1',
  theme: 'M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14',
  clock: 'M10 3a7 7 0 1 0 .1 0M10 6v4l3 2',
  keys: 'M3 6h14v8H3zM6 9h.1M9 9h.1M12 9h.1M7 11.5h6',
  leave: 'M8 4H4v12h4M9 10h8M14 7l3 3-3 3',
} as const;
export type IconName = keyof typeof PATHS;

/** Draws an icon. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
