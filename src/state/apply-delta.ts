// What a change of a level does to the state: most events are one. The hot path of every session, in one function that
// captures all it uses, which compiled code can rely on. Must never change twice what is streamed twice.
import type { BookDelta } from '../domain/event.ts';
import type { Micros } from '../domain/units.ts';
import type { Audits } from './audit.ts';
import { BookChange, type Books } from './books.ts';
import type { StateChange } from './change.ts';
import type { Confirmations } from './confirmations.ts';
import type { FeedHealth } from './feed-health.ts';

/** Applies a change of a level; what else it changed goes to `changes`. */
export type DeltaApplier = (event: BookDelta, changes: StateChange[]) => BookChange;

/** What of the state a change of a level concerns. */
export interface DeltaApplierParts {
  /** Whose time it moves, and never back: an answer may be told after a frame that came later. */
  readonly state: { now: Micros };
  readonly books: Books;
  readonly feed: FeedHealth;
  readonly audits: Audits;
  readonly confirmations: Confirmations;
  /** Told of a change that cannot be right, or of a book that may be being audited. */
  readonly lookAt: (event: BookDelta, done: BookChange, changes: StateChange[]) => void;
}

/** Of this file: what is imported is looked up at every use, which the hot path feels. */
const { ignored: IGNORED, fault: FAULT } = BookChange;

/** Made once with a state. */
export function deltaApplier(parts: DeltaApplierParts): DeltaApplier {
  const { state, books, feed, audits, confirmations, lookAt } = parts;
  return (event, changes) => {
    const { at, exchangeAt } = event;
    if (at > state.now) state.now = at;
    feed.messageAt = at;
    if (exchangeAt !== null) feed.lag.observe(at, exchangeAt);
    if (!confirmations.isFollowed(event)) return applyElsewhere(parts, event, changes);
    const done = books.applyDelta(event);
    if (done === IGNORED) return IGNORED;
    confirmations.note(event);
    if (done === FAULT || audits.count > 0) lookAt(event, done, changes);
    return done;
  };
}

/** A change that is told in another sequence than its book follows. */
function applyElsewhere(
  { books, confirmations, lookAt }: DeltaApplierParts,
  event: BookDelta,
  changes: StateChange[],
): BookChange {
  if (!books.isLive(event.market) || !confirmations.toldChange(event)) return IGNORED;
  const done = books.applyDelta(event);
  lookAt(event, done, changes);
  return done;
}
