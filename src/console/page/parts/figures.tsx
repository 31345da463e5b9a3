// Figures as elements. Every figure has the class `num`, by which the styles mark old figures.
import type { JSX } from 'preact';
import { MINUS, formatMicros, formatMoney, formatPrice, formatQty } from '../format/figures.ts';
import { formatAge, formatMoment, isoTime } from '../format/times.ts';
import { nowUs } from '../state/page-state.ts';
import { zone } from '../state/preferences.ts';

interface MoneyProps {
  readonly micros: number | null | undefined;
  readonly isSigned?: boolean;
  readonly isExact?: boolean;
}

/** An amount that is written as zero has no color. */
const toneOfText = (text: string): string => (text.startsWith('+') ? ' gain' : text.startsWith(MINUS) ? ' loss' : '');

/** An amount of money in dollars. */
export function Money({ micros, isSigned = false, isExact = false }: MoneyProps): JSX.Element {
  const text = isExact ? formatMicros(micros, isSigned) : formatMoney(micros, { isSigned });
  const tone = isSigned ? toneOfText(text) : '';
  return (
    <span
      class={`num${tone}`}
      title={micros === null || micros === undefined ? undefined : formatMicros(micros, isSigned)}
    >
      {text}
    </span>
  );
}

interface PriceProps {
  readonly price: number | null | undefined;
  readonly digits?: number;
  readonly side?: 'bid' | 'ask' | undefined;
}

/** A price in cents. */
export const Price = ({ price, digits = 0, side }: PriceProps): JSX.Element => (
  <span class={`num${side && price !== null && price !== undefined ? ` ${side}` : ''}`}>
    {formatPrice(price, digits)}
  </span>
);

/** A number of contracts. */
export const Qty = ({
  qty,
  isSigned = false,
}: {
  readonly qty: number | null | undefined;
  readonly isSigned?: boolean;
}) => <span class="num">{formatQty(qty, isSigned)}</span>;

/** A moment. Its date is shown only when the day is not today. */
export function Moment({ us }: { readonly us: number | null | undefined }): JSX.Element {
  const text = formatMoment(us, nowUs.value, zone.value);
  if (us === null || us === undefined) return <span class="num">{text}</span>;
  return (
    <time class="num" dateTime={isoTime(us)} title={isoTime(us)}>
      {text}
    </time>
  );
}

/** The age of a moment. It grows by itself. */
export const Age = ({ us }: { readonly us: number | null | undefined }): JSX.Element => (
  <span class="num">{us === null || us === undefined ? '–' : formatAge((nowUs.value - us) / 1000)}</span>
);

/** The side of an order or a fill, by sign and color. */
export const Side = ({ side }: { readonly side: 'buy' | 'sell' }): JSX.Element => (
  <span class={`side ${side === 'buy' ? 'bid' : 'ask'}`}>
    <span aria-hidden="true">{side === 'buy' ? '▲' : '▼'}</span> {side}
  </span>
);
