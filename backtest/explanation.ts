// The story of one order in a backtest: why it was wanted, how long it was on its way, what stood before it, what traded
// past it, and how it ended. Must never change what happens: it only listens.
import { centsText, contractsText } from '../src/domain/amounts.ts';
import type { Command, OrderCommand, PlaceCommand } from '../src/domain/command.ts';
import type { EngineEvent } from '../src/domain/event.ts';
import type { MarketIndex } from '../src/domain/ids.ts';
import type { Order } from '../src/domain/order.ts';
import { type Micros } from '../src/domain/units.ts';
import type { Notice } from '../src/execution/notice.ts';
import type { StoryLine } from '../src/venues/simulated/ports.ts';
import type { BacktestOptions } from './run.ts';

/** A sentence of the story. */
export interface Told {
  readonly at: Micros;
  /** Who: we decide, the venue's floor, or what we are told. */
  readonly who: 'bot' | 'venue' | 'told';
  readonly what: string;
}

/** A sentence, and which it was of all that were heard. */
interface Heard extends Told {
  readonly count: number;
}

/** Lines of the floor that are kept until the venue's name of the order is known. */
const UNNAMED_MAX = 100_000;

/** What an order says, queued or sent. */
type Terms = Pick<Order, 'strategy' | 'side' | 'qty' | 'price' | 'timeInForce' | 'postOnly' | 'createdAt'>;

/** Listens for one order. */
export class Explanation {
  readonly #order: string;
  readonly #lines: Heard[] = [];
  #count = 0;
  #venueId: string | null = null;
  #unnamed: { readonly line: StoryLine; readonly count: number }[] | null = null;
  readonly #tickers = new Map<MarketIndex, string>();
  #isWantTold = false;
  /** When a question about it left, by its command. */
  readonly #sent = new Map<number, { readonly type: string; readonly at: Micros }>();
  #now = 0 as Micros;

  /** @param order the order's client order id. */
  constructor(order: string) {
    this.#order = order;
  }

  /** What a run has to be told to be listened to. */
  get options(): Required<Pick<BacktestOptions, 'observe' | 'onDecision' | 'onlooker' | 'tell'>> {
    return {
      observe: (notice) => this.#noticed(notice),
      onDecision: (_text, command, at) => this.#decided(command, at),
      onlooker: {
        arrived: (command, at, sentAt) => this.#arrived(command, at, sentAt),
        telling: (event) => this.#hear(event),
      },
      tell: (line) => this.#floor(line),
    };
  }

  /** The story, in order; `null` when there was no such order. */
  story(): readonly Told[] | null {
    return this.#lines.length === 0 ? null : this.#lines.toSorted((a, b) => a.at - b.at || a.count - b.count);
  }

  #say(at: Micros, who: Told['who'], what: string): void {
    this.#lines.push({ at, who, what, count: (this.#count += 1) });
  }

  #isIts(command: Command): command is OrderCommand {
    return 'clientOrderId' in command && command.clientOrderId === this.#order;
  }

  #noticed(notice: Notice): void {
    if (notice.type === 'approved' && notice.clientOrderId === this.#order) this.#wanted = notice;
    if (notice.type !== 'order' || notice.order.clientOrderId !== this.#order) return;
    const { from, to, why, order } = notice;
    // That it leaves is told with its terms.
    if (from === 'queued' && to === 'in-flight') return;
    if (!this.#isWantTold) this.#sayWanted(order, this.#tickers.get(order.market) ?? 'a market');
    this.#say(this.#later(order), 'bot', `${from} -> ${to}: ${why}`);
  }

  #wanted: Extract<Notice, { type: 'approved' }> | null = null;

  /** A change is told within the step that made it: the time of that step, or of what the step made of it. */
  #later(order: Order): Micros {
    return order.changedAt > this.#now ? order.changedAt : this.#now;
  }

  #decided(command: Command, at: Micros): void {
    this.#now = at;
    if (!this.#isIts(command)) return;
    this.#sent.set(command.id, { type: command.type, at });
    if (command.type === 'place') this.#placed(command, at);
    else this.#say(at, 'bot', `a ${command.type} leaves`);
  }

  /** First of all, whether it ever leaves or not. */
  #sayWanted({ strategy, side, qty, price, timeInForce, postOnly, createdAt }: Terms, ticker: string): void {
    this.#isWantTold = true;
    const terms = `${timeInForce}${postOnly ? ', post-only' : ''}`;
    const intent = this.#wanted?.intent;
    const reason = intent?.type === 'place' && intent.reason ? `: ${intent.reason}` : '';
    this.#say(
      createdAt,
      'bot',
      `${strategy} wants to ${side} ${contractsText(qty)} of ${ticker} at ${centsText(price)} (${terms})${reason}; every limit allows it`,
    );
  }

  #placed(command: PlaceCommand, at: Micros): void {
    const { createdAt } = command;
    if (!this.#isWantTold) this.#sayWanted(command, command.ticker);
    const waited = at - createdAt;
    this.#say(at, 'bot', waited > 0 ? `it leaves, ${millis(waited)} after: the rate budget held it back` : 'it leaves');
  }

  #arrived(command: Command, at: Micros, sentAt: Micros): void {
    if (!this.#isIts(command)) return;
    this.#say(at, 'venue', `the ${command.type} arrives, ${millis(at - sentAt)} after it left`);
    if (command.type === 'place') this.#unnamed = [];
  }

  #floor(line: StoryLine): void {
    if (line.orderId === this.#venueId) return this.#say(line.at, 'venue', line.what);
    if (this.#unnamed !== null && this.#unnamed.length < UNNAMED_MAX)
      this.#unnamed.push({ line, count: (this.#count += 1) });
  }

  #hear(event: EngineEvent): void {
    this.#now = event.at;
    switch (event.kind) {
      case 'answered': {
        const sent = this.#sent.get(event.commandId);
        if (sent)
          this.#say(event.at, 'told', `the ${sent.type} is answered, ${millis(event.at - sent.at)} after it left`);
        return;
      }
      case 'market':
        this.#tickers.set(event.market.index, event.market.ticker);
        return;
      case 'order-accepted':
        if (event.clientOrderId === this.#order) this.#named(event.venueOrderId);
        return;
      case 'order-rejected':
        if (event.clientOrderId === this.#order)
          this.#say(event.at, 'told', `rejected by the venue: ${event.code}: ${event.message}`);
        return;
      case 'fill': {
        const { clientOrderId, qty, price, liquidity, exchangeAt } = event.fill;
        if (clientOrderId !== this.#order) return;
        const late = exchangeAt === null ? '' : `, ${millis(event.at - exchangeAt)} after it happened`;
        this.#say(
          event.at,
          'told',
          `told of a fill as ${liquidity}: ${contractsText(qty)} at ${centsText(price)}${late}`,
        );
        return;
      }
      default:
    }
  }

  /** The venue's name of it is known: what the floor has said of it since it arrived is its own. */
  #named(id: string): void {
    if (this.#venueId !== null) return;
    this.#venueId = id;
    for (const { line, count } of this.#unnamed ?? [])
      if (line.orderId === id) this.#lines.push({ at: line.at, who: 'venue', what: line.what, count });
    this.#unnamed = null;
  }
}

const millis = (duration: number): string => `${(duration / 1000).toFixed(1)} ms`;
