// Explains one order in a backtest: the reason, the time in flight, the quantity ahead, and the end. Must never change
// what happens.
import { centsText, contractsText } from '../src/domain/amounts.ts';
import type { Command, OrderCommand, PlaceCommand } from '../src/domain/venue-command.ts';
import type { EngineEvent } from '../src/domain/event.ts';
import { type EventOf, isOfNature } from '../src/domain/event-kinds.ts';
import type { MarketIndex } from '../src/domain/ids.ts';
import { reasonText } from '../src/domain/orders/change-text.ts';
import type { Order } from '../src/domain/orders/order.ts';
import type { Micros } from '../src/domain/units.ts';
import type { Notice } from '../src/execution/engine-notice.ts';
import type { ExplanationStep } from '../src/venues/simulated/simulator-interfaces.ts';
import type { BacktestOptions } from './backtest-run.ts';

/** A sentence of the explanation. */
export interface ExplanationSentence {
  readonly at: Micros;
  /** `bot`: a decision of the bot. `venue`: a match at the venue. `message`: a message that reached the bot. */
  readonly who: 'bot' | 'venue' | 'message';
  readonly what: string;
}

interface NumberedStep extends ExplanationSentence {
  readonly count: number;
}

/** Maximum number of venue sentences kept until the order's venue order id is known. */
const UNATTRIBUTED_MAX = 100_000;

type Terms = Pick<Order, 'strategy' | 'side' | 'qty' | 'price' | 'timeInForce' | 'postOnly' | 'createdAt'>;

/** Records the steps of one order. */
export class OrderExplanation {
  readonly #order: string;
  readonly #steps: NumberedStep[] = [];
  #count = 0;
  #venueId: string | null = null;
  #unattributed: { readonly line: ExplanationStep; readonly count: number }[] | null = null;
  readonly #tickers = new Map<MarketIndex, string>();
  #hasTerms = false;
  /** Requests about the order by command id. `at`: when the request left. */
  readonly #sent = new Map<number, { readonly type: string; readonly at: Micros }>();
  #now = 0 as Micros;

  /** @param order the order's client order id. */
  constructor(order: string) {
    this.#order = order;
  }

  get observerOptions(): Required<Pick<BacktestOptions, 'observe' | 'onDecision' | 'observer' | 'onExplanation'>> {
    return {
      observe: (notice) => this.#onNotice(notice),
      onDecision: (_text, command, at) => this.#onDecision(command, at),
      observer: {
        onArrival: (command, at, sentAt) => this.#onArrival(command, at, sentAt),
        beforeEvent: (event) => this.#onEvent(event),
      },
      onExplanation: (line) => this.#onVenueStep(line),
    };
  }

  /** Sorted by time; `null` when there was no such order. */
  sentences(): readonly ExplanationSentence[] | null {
    return this.#steps.length === 0 ? null : this.#steps.toSorted((a, b) => a.at - b.at || a.count - b.count);
  }

  #addStep(at: Micros, who: ExplanationSentence['who'], what: string): void {
    this.#steps.push({ at, who, what, count: (this.#count += 1) });
  }

  #isAboutOrder(command: Command): command is OrderCommand {
    return 'clientOrderId' in command && command.clientOrderId === this.#order;
  }

  #onNotice(notice: Notice): void {
    if (notice.type === 'approved' && notice.clientOrderId === this.#order) this.#approved = notice;
    if (notice.type !== 'order' || notice.order.clientOrderId !== this.#order) return;
    const { from, to, order } = notice;
    // `#onPlace` reports that the order leaves.
    if (from === 'queued' && to === 'in-flight') return;
    if (!this.#hasTerms) this.#addTerms(order, this.#tickers.get(order.market) ?? 'a market');
    this.#addStep(this.#timeOf(order), 'bot', `${from} -> ${to}: ${reasonText(notice)}`);
  }

  #approved: Extract<Notice, { type: 'approved' }> | null = null;

  /** Notices come before the step's commands: `changedAt` may be later than the last time seen. */
  #timeOf(order: Order): Micros {
    return order.changedAt > this.#now ? order.changedAt : this.#now;
  }

  #onDecision(command: Command, at: Micros): void {
    this.#now = at;
    if (!this.#isAboutOrder(command)) return;
    this.#sent.set(command.id, { type: command.type, at });
    if (command.type === 'place') this.#onPlace(command, at);
    else this.#addStep(at, 'bot', `a ${command.type} leaves`);
  }

  /** The terms come first, even for an order that never leaves. */
  #addTerms({ strategy, side, qty, price, timeInForce, postOnly, createdAt }: Terms, ticker: string): void {
    this.#hasTerms = true;
    const terms = `${timeInForce}${postOnly ? ', post-only' : ''}`;
    const intent = this.#approved?.intent;
    const reason = intent?.type === 'place' && intent.reason ? `: ${intent.reason}` : '';
    this.#addStep(
      createdAt,
      'bot',
      `${strategy} wants to ${side} ${contractsText(qty)} of ${ticker} at ${centsText(price)} (${terms})${reason}; every limit allows it`,
    );
  }

  #onPlace(command: PlaceCommand, at: Micros): void {
    const { createdAt } = command;
    if (!this.#hasTerms) this.#addTerms(command, command.ticker);
    const waited = at - createdAt;
    this.#addStep(
      at,
      'bot',
      waited > 0 ? `it leaves, ${millis(waited)} after: the rate budget held it back` : 'it leaves',
    );
  }

  #onArrival(command: Command, at: Micros, sentAt: Micros): void {
    if (!this.#isAboutOrder(command)) return;
    this.#addStep(at, 'venue', `the ${command.type} arrives, ${millis(at - sentAt)} after it left`);
    if (command.type === 'place') this.#unattributed = [];
  }

  #onVenueStep(line: ExplanationStep): void {
    if (line.orderId === this.#venueId) return this.#addStep(line.at, 'venue', line.what);
    if (this.#unattributed !== null && this.#unattributed.length < UNATTRIBUTED_MAX)
      this.#unattributed.push({ line, count: (this.#count += 1) });
  }

  #onEvent(event: EngineEvent): void {
    this.#now = event.at;
    if (event.kind === 'answered') {
      const sent = this.#sent.get(event.commandId);
      if (sent)
        this.#addStep(event.at, 'message', `the ${sent.type} is answered, ${millis(event.at - sent.at)} after it left`);
    } else if (event.kind === 'market') this.#tickers.set(event.market.index, event.market.ticker);
    else if (isOfNature(event, 'account')) this.#onAccountEvent(event);
  }

  #onAccountEvent(event: EventOf<'account'>): void {
    switch (event.kind) {
      case 'order-accepted':
        if (event.clientOrderId === this.#order) this.#attribute(event.venueOrderId);
        return;
      case 'order-rejected':
        if (event.clientOrderId === this.#order)
          this.#addStep(event.at, 'message', `rejected by the venue: ${event.code}: ${event.message}`);
        return;
      case 'fill': {
        const { clientOrderId, qty, price, liquidity, exchangeAt } = event.fill;
        if (clientOrderId !== this.#order) return;
        const late = exchangeAt === null ? '' : `, ${millis(event.at - exchangeAt)} after it happened`;
        this.#addStep(
          event.at,
          'message',
          `learns of a fill as ${liquidity}: ${contractsText(qty)} at ${centsText(price)}${late}`,
        );
        return;
      }
      // The notice of the order's change reports most of these events.
      case 'order-not-sent':
      case 'order-unknown':
      case 'order-updated':
      case 'cancel-accepted':
      case 'cancel-refused':
      case 'cancel-lost':
      case 'amend-accepted':
      case 'amend-refused':
      case 'amend-lost':
      case 'position-updated':
    }
  }

  /** Attributes the venue's sentences since the order's arrival. */
  #attribute(id: string): void {
    if (this.#venueId !== null) return;
    this.#venueId = id;
    for (const { line, count } of this.#unattributed ?? [])
      if (line.orderId === id) this.#steps.push({ at: line.at, who: 'venue', what: line.what, count });
    this.#unattributed = null;
  }
}

const millis = (duration: number): string => `${(duration / 1000).toFixed(1)} ms`;
