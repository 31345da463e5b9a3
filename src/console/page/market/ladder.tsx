// The levels of a market: asks above, bids below, our orders with their queue positions.
import type { JSX } from 'preact';
import type { MarketDetail } from '../../../runtime/follow/follow-messages.ts';
import { Empty } from '../parts/blocks.tsx';
import { centDigitsOf, formatPrice, formatQty, shareOf } from '../format/figures.ts';

/** Most levels of each side, besides the levels with our orders. */
const LEVELS = 10;

type Level = MarketDetail['bids'][number];
type OwnOrder = MarketDetail['orders'][number];

interface LadderLevel {
  readonly price: number;
  readonly qty: number;
  readonly own: readonly OwnOrder[];
}

/** Joins the best levels of a side with our orders, best first. */
export function ladderLevels(
  levels: readonly Level[],
  orders: readonly OwnOrder[],
  side: 'buy' | 'sell',
): LadderLevel[] {
  const own = new Map<number, OwnOrder[]>();
  for (const order of orders)
    if (order.isOpen && order.side === side) own.set(order.price, [...(own.get(order.price) ?? []), order]);
  const shown = levels.filter(([price], at) => at < LEVELS || own.has(price));
  const prices = new Set(shown.map(([price]) => price));
  const rows = shown.map(([price, qty]) => ({ price, qty, own: own.get(price) ?? [] }));
  for (const [price, mine] of own) if (!prices.has(price)) rows.push({ price, qty: 0, own: mine });
  return rows.sort((a, b) => (side === 'buy' ? b.price - a.price : a.price - b.price));
}

export function Ladder({ market }: { readonly market: MarketDetail }): JSX.Element {
  const bids = ladderLevels(market.bids, market.orders, 'buy');
  const asks = ladderLevels(market.asks, market.orders, 'sell');
  if (bids.length === 0 && asks.length === 0) return <Empty>The book is empty: no bid and no ask.</Empty>;
  const digits = centDigitsOf([...bids, ...asks].map(({ price }) => price));
  const most = Math.max(...[...bids, ...asks].map(({ qty }) => qty));
  return (
    <table class="ladder" aria-label="Depth">
      <thead>
        <tr>
          <th>Ours (place)</th>
          <th class="right">Price ¢</th>
          <th class="right">Contracts</th>
        </tr>
      </thead>
      <tbody>
        {asks.toReversed().map((level) => (
          <LadderRow key={`ask ${level.price}`} level={level} side="ask" digits={digits} most={most} />
        ))}
        <tr class="spread">
          <td colSpan={3}>
            {bids[0] && asks[0] ? <>spread {formatPrice(asks[0].price - bids[0].price)} ¢</> : 'one side is empty'}
          </td>
        </tr>
        {bids.map((level) => (
          <LadderRow key={`bid ${level.price}`} level={level} side="bid" digits={digits} most={most} />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly level: LadderLevel;
  readonly side: 'bid' | 'ask';
  readonly digits: number;
  /** Quantity of the level with the longest bar. */
  readonly most: number;
}

const LadderRow = ({ level: { price, qty, own }, side, digits, most }: RowProps): JSX.Element => (
  <tr class={own.length > 0 ? 'own' : ''}>
    <td class={`own-cell ${side}`}>
      {own.map(({ clientOrderId, qty: ordered, filled, queueAhead }) => (
        <span key={clientOrderId} class="own-order num" title={clientOrderId}>
          {formatQty(ordered - filled)}
          <span class="muted"> {queueAhead === null ? 'place unknown' : `${formatQty(queueAhead)} before`}</span>
        </span>
      ))}
    </td>
    <td class={`right num price ${side}`}>{formatPrice(price, digits)}</td>
    <td class="right num depth">
      <span class={`depth-bar ${side}`} style={{ transform: `scaleX(${shareOf(qty, most)})` }} aria-hidden="true" />
      <span class="depth-text">{formatQty(qty)}</span>
    </td>
  </tr>
);
