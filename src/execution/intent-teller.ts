// Tells strategies what becomes of what they wanted: denied, approved, and then what the venue, or the wait for it, made of it.
// Must never decide what becomes of anything: it only tells.
import type { Denial } from '../domain/denial.ts';
import type { IntentOutcome } from '../domain/event.ts';
import type { ClientOrderId } from '../domain/ids.ts';
import type { Intent, PlaceIntent } from '../domain/intent.ts';
import type { Order } from '../domain/order.ts';
import type { State } from '../state/state.ts';
import type { Roster, Running } from '../strategy/roster.ts';
import type { OrderChange } from './desk-options.ts';
import { type ChangeIntent, IntentBook } from './intent-book.ts';
import type { Observer } from './notice.ts';

export interface IntentTellerOptions {
  readonly state: State;
  readonly observe: Observer;
}

const NO_OUTCOMES: readonly IntentOutcome[] = [];

/** Who wants to know, and what is still to be told. */
export class IntentTeller {
  readonly #state: State;
  readonly #observe: Observer;
  readonly #book = new IntentBook();
  #roster: Roster | null = null;

  constructor({ state, observe }: IntentTellerOptions) {
    this.#state = state;
    this.#observe = observe;
  }

  open(roster: Roster): void {
    this.#roster = roster;
  }

  #tell(running: Running, outcome: IntentOutcome): void {
    this.#roster?.ask(running, (handlers, view) => handlers.onIntentOutcome?.(outcome, view));
  }

  /** An intent was refused. */
  denied(running: Running, intent: Intent, denial: Denial): void {
    const { name: strategy } = running;
    this.#observe({ type: 'denied', strategy, intent, denial });
    this.#tell(running, { kind: 'denied', at: this.#state.now, strategy, intent, denial });
  }

  /** An order that came of an intent waits to be sent. */
  placed({ strategy, clientOrderId: id }: Order, intent: PlaceIntent): void {
    const running = this.#roster?.named(strategy);
    if (!running?.handlers.onIntentOutcome) return;
    this.#book.placed(id, intent);
    this.#tell(running, { kind: 'approved', at: this.#state.now, strategy, intent, clientOrderId: id });
  }

  /** An order is to be withdrawn, or made smaller; a decrease that waited is not asked for any more. */
  changing(running: Running, order: Order, intent: ChangeIntent): void {
    const { now: at } = this.#state;
    const { strategy, clientOrderId: id } = order;
    const replaced = this.#book.asked(id, intent);
    const why = 'another change was wanted meanwhile';
    if (replaced) this.#tell(running, { kind: 'not-sent', at, strategy, intent: replaced, order, why });
    this.#tell(running, { kind: 'approved', at, strategy, intent, clientOrderId: id });
  }

  /** The command of a decrease waits in the planner, or has left. */
  decreaseIs(id: ClientOrderId, stage: 'queued' | 'sent'): void {
    this.#book.advance(id, stage);
  }

  /** What a step of an order's life makes of the intents about it: asked for before that step is reacted to. */
  outcomesOf(change: OrderChange): readonly IntentOutcome[] {
    const isWanted = this.#roster?.named(change.order.strategy)?.handlers.onIntentOutcome !== undefined;
    return isWanted ? this.#book.after(change, this.#state.now) : NO_OUTCOMES;
  }
}
