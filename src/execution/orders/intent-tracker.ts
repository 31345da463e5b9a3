// Tracks the open intents of strategies by order and derives their outcomes from order changes. Must never keep an
// intent after its order has ended.
import { assert } from '../../base/assert.ts';
import type { IntentOutcome } from '../../domain/event.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { CancelIntent, DecreaseIntent, PlaceIntent } from '../../domain/intent.ts';
import { type OrderState, isFinished, leavesQty } from '../../domain/orders/order.ts';
import { stateTerms } from '../../domain/orders/order-terms.ts';
import type { Micros } from '../../domain/units.ts';
import type { OrderChange } from './order-entry-options.ts';

/** An intent about an existing order. */
export type ChangeIntent = CancelIntent | DecreaseIntent;
/** Kind of an outcome that follows the approval of an intent. */
export type OutcomeKind = Exclude<IntentOutcome, { readonly kind: 'denied' | 'approved' }>['kind'];

interface RequestedChange {
  readonly intent: ChangeIntent;
  /** `waiting` until the order's state allows it, then `queued` in the planner, then `sent`. */
  stage: 'waiting' | 'queued' | 'sent';
}

interface Entry {
  readonly intent: PlaceIntent;
  /** True while the outcome of the order itself is still to be reported. */
  isOpen: boolean;
  requestedChanges: readonly RequestedChange[];
}

const NO_OUTCOMES: readonly IntentOutcome[] = [];

/** The open intents of strategies that listen to outcomes. */
export class IntentTracker {
  /**
   * By order. Added when an intent becomes an order, or its order reappears at the venue; removed when the order has
   * ended.
   */
  readonly #byOrder = new Map<ClientOrderId, Entry>();

  trackPlaced(id: ClientOrderId, intent: PlaceIntent): void {
    assert(!this.#byOrder.has(id), 'an intent must be tracked once');
    this.#byOrder.set(id, { intent, isOpen: true, requestedChanges: [] });
  }

  /** Starts to track a requested change. It replaces a waiting change of the same type, which is returned. */
  trackChange(id: ClientOrderId, intent: ChangeIntent): ChangeIntent | null {
    const entry = this.#byOrder.get(id);
    if (!entry) return null;
    const isReplaced = (change: RequestedChange): boolean =>
      change.stage === 'waiting' && intent.type === change.intent.type;
    const replaced = entry.requestedChanges.find(isReplaced)?.intent ?? null;
    entry.requestedChanges = [
      ...entry.requestedChanges.filter((change) => !isReplaced(change)),
      { intent, stage: 'waiting' },
    ];
    return replaced;
  }

  advanceDecrease(id: ClientOrderId, to: 'queued' | 'sent'): void {
    const from = to === 'queued' ? 'waiting' : 'queued';
    const decrease = this.#byOrder
      .get(id)
      ?.requestedChanges.find(({ intent, stage }) => intent.type === 'decrease' && stage === from);
    if (decrease) decrease.stage = to;
  }

  outcomesAfter(change: OrderChange, at: Micros): readonly IntentOutcome[] {
    const { order, to, why } = change;
    const { clientOrderId: id, strategy } = order;
    const entry = this.#byOrder.get(id) ?? reopenedEntry(change);
    if (!entry) return NO_OUTCOMES;
    if (to === 'pending-cancel')
      for (const requested of entry.requestedChanges) if (requested.intent.type === 'cancel') requested.stage = 'sent';
    if (isFinished(to)) this.#byOrder.delete(id);
    else this.#byOrder.set(id, entry);
    assert(entry.intent.market === order.market, 'an order must belong to the market of its intent');
    const verdicts = verdictsOn(change, entry);
    if (verdicts.length === 0) return NO_OUTCOMES;
    return verdicts.map(([kind, intent]) => ({ kind, at, strategy, intent, order, why }));
  }

  get size(): number {
    return this.#byOrder.size;
  }
}

/** The outcomes of an order's change of state. Drops the requested changes that are settled. */
function verdictsOn(change: OrderChange, entry: Entry): (readonly [OutcomeKind, PlaceIntent | ChangeIntent])[] {
  const changes = entry.requestedChanges.length === 0 ? [] : verdictsOnChanges(change, entry);
  const verdict = verdictOf(change, { isOpen: entry.isOpen, isAboutChange: changes.length > 0 });
  if (verdict === null) return changes;
  entry.isOpen = verdict === 'unknown';
  return [[verdict, entry.intent], ...changes];
}

function verdictsOnChanges(change: OrderChange, entry: Entry): (readonly [OutcomeKind, ChangeIntent])[] {
  const outcomes = entry.requestedChanges.map(
    (requested) => [verdictOfChange(change, requested), requested.intent] as const,
  );
  entry.requestedChanges = entry.requestedChanges.filter(
    (_, i) => outcomes[i]?.[0] === null || outcomes[i]?.[0] === 'unknown',
  );
  return outcomes.flatMap(([verdict, intent]) => (verdict === null ? [] : [[verdict, intent] as const]));
}

/**
 * Makes an entry for a rejected or unsent order that appears at the venue. The intent is taken from the order. Returns
 * `undefined` for any other change.
 */
function reopenedEntry({ order, from, to }: OrderChange): Entry | undefined {
  if (!NEVER_THERE.has(from) || from === to) return undefined;
  const intent: PlaceIntent = { type: 'place', ...stateTerms(order), reason: order.reason };
  return { intent, isOpen: true, requestedChanges: [] };
}

/** States of an order that the venue never had. */
const NEVER_THERE: ReadonlySet<OrderState> = new Set(['rejected', 'not-sent']);

/** The outcome for the intent that placed the order; `null` when there is nothing new to report. */
function verdictOf(
  { to }: OrderChange,
  { isOpen, isAboutChange }: { readonly isOpen: boolean; readonly isAboutChange: boolean },
): OutcomeKind | null {
  switch (to) {
    case 'queued':
    case 'in-flight':
      return null;
    case 'unknown':
      // While a change of an accepted order is in flight, only the change is in doubt.
      return isOpen || !isAboutChange ? 'unknown' : null;
    case 'expired':
    case 'rejected':
    case 'not-sent':
      return to;
    case 'working':
    case 'pending-cancel':
    case 'pending-amend':
    case 'filled':
    case 'canceled':
      return isOpen ? 'accepted' : null;
  }
}

/** The outcome for an intent to cancel or decrease the order; `null` when there is nothing new to report. */
function verdictOfChange({ order, to }: OrderChange, { intent, stage }: RequestedChange): OutcomeKind | null {
  if (to === 'canceled' || to === 'not-sent') return 'accepted';
  if (isFinished(to)) return stage === 'sent' ? 'rejected' : 'not-sent';
  if (to === 'unknown') return stage === 'sent' ? 'unknown' : null;
  if (intent.type === 'cancel' || to !== 'working') return null;
  if (leavesQty(order) <= intent.leavesQty) return 'accepted';
  if (stage === 'waiting') return null;
  return stage === 'sent' ? 'rejected' : 'not-sent';
}
