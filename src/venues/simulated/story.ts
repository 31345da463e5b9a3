// The story of each order on the floor, a sentence a step, with its figures: why it filled, or did not.
// Made only when somebody listens. Must never change anything.
import { centsText, contractsText } from '../../domain/amounts.ts';
import { type Price, type Qty } from '../../domain/units.ts';
import { AHEAD_UNKNOWN, type StoryLine } from './ports.ts';
import type { Side } from '../../domain/order.ts';

const size = (qty: number): string => (qty >= AHEAD_UNKNOWN ? 'an unknown quantity' : contractsText(qty as Qty));
const moved = (stood: number, ahead: number): string =>
  stood === ahead ? `${size(ahead)} before it, as was` : `before it ${size(stood)} -> ${size(ahead)}`;

/** An order, as far as its story goes. */
interface Told {
  readonly id: string;
  readonly side: Side;
  readonly price: Price;
  readonly ahead: number;
  readonly leaves: number;
}

export class Story {
  readonly #tell: (line: Omit<StoryLine, 'at'>) => void;

  constructor(tell: (line: Omit<StoryLine, 'at'>) => void) {
    this.#tell = tell;
  }

  #line(order: Pick<Told, 'id' | 'ahead' | 'leaves'>, what: string): void {
    this.#tell({ orderId: order.id, what, ahead: order.ahead, leaves: order.leaves });
  }

  joined(order: Told, level: { recorded: number | null; spent: number }): void {
    const { recorded, spent } = level;
    const where = `${order.side === 'buy' ? 'bid' : 'ask'} at ${centsText(order.price)}`;
    const less = spent > 0 ? `, ${size(spent)} of it taken by us before` : '';
    const what =
      recorded === null
        ? `joined the ${where} while the book was unknown: behind all that the next snapshot shows`
        : `joined the ${where} behind ${size(order.ahead)} (the tape shows ${size(recorded)}${less})`;
    this.#line(order, what);
  }

  clamped(order: Told, stood: number): void {
    const what = `the level holds no more than ${size(order.ahead)}: ${moved(stood, order.ahead)}`;
    this.#line(order, what);
  }

  /** A withdrawal that is taken to be of those behind it. */
  keptBack(order: Told, cut: number, before: number): void {
    this.#line(
      order,
      `${size(cut)} of ${size(before)} withdrawn, behind it by the queue model: ${moved(order.ahead, order.ahead)}`,
    );
  }

  withdrawn(order: Told, change: { stood: number; cut: number; before: number }): void {
    const what = `${size(change.cut)} of ${size(change.before)} withdrawn: ${moved(change.stood, order.ahead)}`;
    this.#line(order, what);
  }

  /** An order that arrived took some of a level. */
  took(id: string, level: Price, trade: { qty: number; left: number }): void {
    this.note({ id, ahead: 0, leaves: trade.left }, `took ${size(trade.qty)} at ${centsText(level)}`);
  }

  /** After the queue moved, before the order trades. */
  printed(order: Told, print: { stood: number; printed: number; returned: number }): void {
    const returned =
      print.returned > 0 ? ` (it explains a decrease that had moved it up by ${size(print.returned)})` : '';
    this.#line(order, `print of ${size(print.printed)} at its price${returned}: ${moved(print.stood, order.ahead)}`);
  }

  passed(order: Told, print: { stood: number; printed: number }): void {
    const what = `print of ${size(print.printed)} through its price: ${moved(print.stood, 0)}`;
    this.#line(order, what);
  }

  crossed(order: Told, offered: number): void {
    this.#line(order, `the recorded book crosses it with ${size(offered)}`);
  }

  filled(order: Told, qty: number, evidence: string): void {
    this.#line(order, `filled ${size(qty)} at ${centsText(order.price)} (${evidence}), ${size(order.leaves)} left`);
  }

  /** Something else, told as it is. */
  note(order: Pick<Told, 'id' | 'ahead' | 'leaves'>, what: string): void {
    this.#line(order, what);
  }
}
