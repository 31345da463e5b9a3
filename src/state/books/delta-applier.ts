// Applies a level change to the state. Most events are level changes. One function captures all parts, so that compiled
// code treats them as constants. Must never apply a streamed change twice.
import type { BookDelta } from '../../domain/event.ts';
import type { Micros } from '../../domain/units.ts';
import type { StreamAudits } from './stream-audits.ts';
import { BookChange, type OrderBooks } from './order-books.ts';
import type { ChangeSink } from '../state-change.ts';
import type { BookConfirmations } from './book-confirmations.ts';
import type { FeedHealth } from '../feed/feed-health.ts';

/** Applies a level change, and appends its other effects to `changes`. */
export type DeltaApplier = (event: BookDelta, changes: ChangeSink) => BookChange;

/** The parts of the state that a level change concerns. */
export interface DeltaApplierParts {
  /** Holder of the current time, which never moves back. */
  readonly state: { now: Micros };
  readonly books: OrderBooks;
  readonly feed: FeedHealth;
  readonly audits: StreamAudits;
  readonly confirmations: BookConfirmations;
  /**
   * Called for a change that cannot be right, and for a change from another stream. During an audit (a comparison with
   * a book read over REST) it is called for every change.
   */
  readonly inspectChange: (event: BookDelta, bookChange: BookChange, changes: ChangeSink) => void;
}

/** Local copy: V8 does not constant-fold imported bindings. */
const { ignored: IGNORED, fault: FAULT } = BookChange;

/** Makes the applier, once per state. */
export function deltaApplier(parts: DeltaApplierParts): DeltaApplier {
  const { state, books, feed, audits, confirmations, inspectChange } = parts;
  return (event, changes) => {
    const { at, exchangeAt } = event;
    if (at > state.now) state.now = at;
    feed.contentAt = at;
    if (exchangeAt !== null) feed.lag.observeMessage(at, exchangeAt);
    if (!confirmations.isOnFollowedStream(event)) return applyFromOtherStream(parts, event, changes);
    const bookChange = books.applyDelta(event);
    if (bookChange === IGNORED) return IGNORED;
    confirmations.recordMessage(event);
    if (bookChange === FAULT || audits.count > 0) inspectChange(event, bookChange, changes);
    return bookChange;
  };
}

function applyFromOtherStream(
  { books, confirmations, inspectChange }: DeltaApplierParts,
  event: BookDelta,
  changes: ChangeSink,
): BookChange {
  if (!books.isLive(event.market) || !confirmations.recordChange(event)) return IGNORED;
  const bookChange = books.applyDelta(event);
  inspectChange(event, bookChange, changes);
  return bookChange;
}
