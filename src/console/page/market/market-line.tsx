// The rows of the table of markets, and its head. The element of a row may show another market after scrolling.
import { Component, type JSX } from 'preact';
import type { MARKET_SORTS, MarketRow } from '../../api/api-schemas.ts';
import { bookState } from '../format/book-state.ts';
import { centDigitsOf, formatMoney, formatPrice, formatQty } from '../format/figures.ts';
import { formatUntil } from '../format/times.ts';
import { whyAddress } from '../parts/keyboard.ts';
import { formatAddress } from '../state/address.ts';
import { consoleClockUs, openAddress } from '../state/page-state.ts';

type Sort = (typeof MARKET_SORTS)[number];

/** The columns of the table. A press of the title sets the sorting to `sort`. */
const COLUMNS: readonly { readonly title: string; readonly name: string; readonly sort: Sort | null }[] = [
  { title: 'Market', name: 'c-market', sort: 'ticker' },
  { title: 'Status', name: 'c-status', sort: 'status' },
  { title: 'Book', name: 'c-trust', sort: 'trust' },
  { title: 'Closes', name: 'c-closes right', sort: 'closes' },
  { title: 'Bid', name: 'c-bid right', sort: 'bid' },
  { title: 'Ask', name: 'c-ask right', sort: 'ask' },
  { title: 'Our bid', name: 'c-own-bid right', sort: null },
  { title: 'Our ask', name: 'c-own-ask right', sort: null },
  { title: 'Position', name: 'c-position right', sort: 'position' },
  { title: 'Day', name: 'c-day right', sort: 'day' },
];

/** Digits after the point of all prices, for aligned columns. */
export interface MarketColumns {
  readonly digits: number;
}

export const marketColumns = (rows: readonly (MarketRow | null)[]): MarketColumns => ({
  digits: centDigitsOf(rows.flatMap((row) => (row ? [row.bid, row.ask, row.ownBid, row.ownAsk] : []))),
});

interface HeadProps {
  readonly sort: string;
  readonly onSort: (sort: Sort) => void;
}

export const MarketsHead = ({ sort, onSort }: HeadProps): JSX.Element => (
  <div class="grid-head" role="rowgroup">
    <div class="grid-row" role="row" aria-rowindex={1}>
      {COLUMNS.map(({ title, name, sort: own }) => (
        <span
          key={title}
          class={name}
          role="columnheader"
          aria-sort={own !== null && own === sort ? 'other' : undefined}
        >
          {own === null ? (
            title
          ) : (
            <button type="button" class="sort" onClick={() => onSort(own === sort ? 'ours' : own)}>
              {title}
              {own === sort && <span aria-hidden="true"> ▾</span>}
            </button>
          )}
        </span>
      ))}
    </div>
  </div>
);

interface LineProps {
  readonly bot: string;
  readonly place: number;
  readonly row: MarketRow | null;
  readonly topPx: number;
  readonly isActive: boolean;
  readonly columns: MarketColumns;
  readonly onActive: (place: number) => void;
}

/** A row of the table. It is drawn again only after a change. */
export class MarketLine extends Component<LineProps> {
  override shouldComponentUpdate(next: LineProps): boolean {
    const now = this.props;
    return (
      next.row !== now.row ||
      next.place !== now.place ||
      next.topPx !== now.topPx ||
      next.isActive !== now.isActive ||
      next.columns.digits !== now.columns.digits
    );
  }

  override render({ bot, place, row, topPx, isActive, columns, onActive }: LineProps): JSX.Element {
    const attributes = {
      class: `grid-row${place % 2 === 1 ? ' odd' : ''}`,
      role: 'row',
      'aria-rowindex': place + 2,
      'data-row': place,
      tabIndex: isActive ? 0 : -1,
      style: { transform: `translateY(${topPx}px)` },
      onFocus: () => onActive(place),
    } as const;
    if (row === null)
      return (
        <div {...attributes}>
          <span class="c-market" role="gridcell">
            <span class="grey-bar" />
          </span>
        </div>
      );
    const target = { bot, view: 'market', subject: row.ticker } as const;
    return (
      <div
        {...attributes}
        data-why={whyAddress(bot, { market: row.ticker })}
        onClick={() => openAddress(target)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') openAddress(target);
        }}
      >
        <span class="c-market" role="gridcell" title={row.title}>
          <a href={formatAddress(target)} tabIndex={-1}>
            {row.ticker}
          </a>
          <small>{row.title}</small>
        </span>
        <Cells row={row} digits={columns.digits} />
      </div>
    );
  }
}

function Cells({ row, digits }: { readonly row: MarketRow; readonly digits: number }): JSX.Element {
  const { bid, ask, ownBid, ownAsk, position, dayMicros } = row;
  const book = bookState(row);
  const tone = dayMicros > 0 ? ' gain' : dayMicros < 0 ? ' loss' : ' muted';
  return (
    <>
      <span class={`c-status${row.status === 'active' ? ' muted' : ''}`} role="gridcell">
        {row.status === 'active' ? 'open' : row.status}
      </span>
      <span class={`c-trust ${book.tone}`} role="gridcell">
        {book.text}
      </span>
      <span class="c-closes right num muted" role="gridcell">
        {formatUntil(row.closesAtUs, consoleClockUs())}
      </span>
      <span class="c-bid right num" role="gridcell">
        {formatPrice(bid, digits)}
      </span>
      <span class="c-ask right num" role="gridcell">
        {formatPrice(ask, digits)}
      </span>
      <span class={`c-own-bid right num${ownBid === null ? ' muted' : ' bid'}`} role="gridcell">
        {formatPrice(ownBid, digits)}
      </span>
      <span class={`c-own-ask right num${ownAsk === null ? ' muted' : ' ask'}`} role="gridcell">
        {formatPrice(ownAsk, digits)}
      </span>
      <span class={`c-position right num${position === 0 ? ' muted' : ''}`} role="gridcell">
        {formatQty(position, true)}
      </span>
      <span class={`c-day right num${tone}`} role="gridcell">
        {formatMoney(dayMicros, { isSigned: true })}
      </span>
    </>
  );
}
