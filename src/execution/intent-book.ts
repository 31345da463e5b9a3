// What strategies wanted and what has not come of it yet: tells, as orders move along their lives, what became of each
// intent. Must never outlive an order: what is remembered of one goes when it ends.
import type { IntentOutcome } from '../domain/event.ts';
import type { ClientOrderId } from '../domain/ids.ts';
import type { CancelIntent, DecreaseIntent, PlaceIntent } from '../domain/intent.ts';
import { type OrderState, isFinished, leavesQty } from '../domain/order.ts';
import type { Micros } from '../domain/units.ts';
import type { OrderChange } from './desk-options.ts';

/** An intent about an order that exists. */
export type ChangeIntent = CancelIntent | DecreaseIntent;
/** What becomes of an intent once it has an id. */
export type Verdict = Exclude<IntentOutcome, { readonly kind: 'denied' | 'approved' }>['kind'];

/** A change of an order that was asked for. */
interface Asked {
  readonly intent: ChangeIntent;
  /** `waiting` for its turn in the order's life, `queued` in the planner, `sent`. */
  stage: 'waiting' | 'queued' | 'sent';
}

interface Entry {
  readonly intent: PlaceIntent;
  /** Whether it is still to be told what becomes of the order itself. */
  isOpen: boolean;
  asked: readonly Asked[];
}

const NOTHING: readonly IntentOutcome[] = [];

/** The unsettled intents of strategies that want to know. */
export class IntentBook {
  readonly #byOrder = new Map<ClientOrderId, Entry>();

  /** An order has come of an intent. */
  placed(id: ClientOrderId, intent: PlaceIntent): void {
    this.#byOrder.set(id, { intent, isOpen: true, asked: [] });
  }

  /** A change of an order was asked for. It takes the place of one of its kind that waits; returns that one. */
  asked(id: ClientOrderId, intent: ChangeIntent): ChangeIntent | null {
    const entry = this.#byOrder.get(id);
    if (!entry) return null;
    const isReplaced = (one: Asked): boolean => one.stage === 'waiting' && intent.type === one.intent.type;
    const replaced = entry.asked.find(isReplaced)?.intent ?? null;
    entry.asked = [...entry.asked.filter((one) => !isReplaced(one)), { intent, stage: 'waiting' }];
    return replaced;
  }

  /** A decrease that waited, or stood in the planner, has moved on. */
  advance(id: ClientOrderId, to: 'queued' | 'sent'): void {
    const from = to === 'queued' ? 'waiting' : 'queued';
    const one = this.#byOrder.get(id)?.asked.find(({ intent, stage }) => intent.type === 'decrease' && stage === from);
    if (one) one.stage = to;
  }

  /** What a step of an order's life makes of the intents about it, in the order in which they were given. */
  after(change: OrderChange, at: Micros): readonly IntentOutcome[] {
    const { order, to, why } = change;
    const { clientOrderId: id, strategy } = order;
    const entry = this.#byOrder.get(id) ?? reopened(change);
    if (!entry) return NOTHING;
    if (to === 'pending-cancel') for (const one of entry.asked) if (one.intent.type === 'cancel') one.stage = 'sent';
    if (isFinished(to)) this.#byOrder.delete(id);
    else this.#byOrder.set(id, entry);
    const verdicts = verdictsOn(change, entry);
    if (verdicts.length === 0) return NOTHING;
    return verdicts.map(([kind, intent]) => ({ kind, at, strategy, intent, order, why }));
  }

  /** How many orders something is remembered of. */
  get size(): number {
    return this.#byOrder.size;
  }
}

/** Settles what a step settles. */
function verdictsOn(change: OrderChange, entry: Entry): (readonly [Verdict, PlaceIntent | ChangeIntent])[] {
  const changes = entry.asked.length === 0 ? [] : verdictsOnChanges(change, entry);
  const verdict = verdictOf(change, { isOpen: entry.isOpen, isAboutChange: changes.length > 0 });
  if (verdict === null) return changes;
  entry.isOpen = verdict === 'unknown';
  return [[verdict, entry.intent], ...changes];
}

function verdictsOnChanges(change: OrderChange, entry: Entry): (readonly [Verdict, ChangeIntent])[] {
  const judged = entry.asked.map((asked) => [verdictOfChange(change, asked), asked.intent] as const);
  entry.asked = entry.asked.filter((_, i) => judged[i]?.[0] === null || judged[i]?.[0] === 'unknown');
  return judged.flatMap(([verdict, intent]) => (verdict === null ? [] : [[verdict, intent] as const]));
}

/** An order that was thought to have ended lives: the intent is what the order still says of it. */
function reopened({ order, from, to }: OrderChange): Entry | undefined {
  if (!NEVER_THERE.has(from) || from === to) return undefined;
  const { market, side, price, qty, timeInForce, postOnly, reduceOnly, expiresAt, reason } = order;
  const terms = { market, side, price, qty, timeInForce, postOnly, reduceOnly, reason };
  const intent: PlaceIntent = { type: 'place', ...terms, ...(expiresAt !== null && { expiresAt }) };
  return { intent, isOpen: true, asked: [] };
}

/** States that say the venue has no such order, and never had. */
const NEVER_THERE: ReadonlySet<OrderState> = new Set(['rejected', 'not-sent']);

/** What a step makes of the intent that the order came of; `null`: nothing that was not told before. */
function verdictOf(
  { to }: OrderChange,
  { isOpen, isAboutChange }: { readonly isOpen: boolean; readonly isAboutChange: boolean },
): Verdict | null {
  switch (to) {
    case 'queued':
    case 'in-flight':
      return null;
    case 'unknown':
      // Of an order that the venue had taken it may be only a change that is not known.
      return isOpen || !isAboutChange ? 'unknown' : null;
    case 'expired':
    case 'rejected':
    case 'not-sent':
      return to;
    default:
      return isOpen ? 'accepted' : null;
  }
}

/** The same of the intent to withdraw it, or to make it smaller. */
function verdictOfChange({ order, to }: OrderChange, { intent, stage }: Asked): Verdict | null {
  if (to === 'canceled' || to === 'not-sent') return 'accepted';
  if (isFinished(to)) return stage === 'sent' ? 'rejected' : 'not-sent';
  if (to === 'unknown') return stage === 'sent' ? 'unknown' : null;
  if (intent.type === 'cancel' || to !== 'working') return null;
  if (leavesQty(order) <= intent.leavesQty) return 'accepted';
  // Its turn comes now.
  if (stage === 'waiting') return null;
  return stage === 'sent' ? 'rejected' : 'not-sent';
}
