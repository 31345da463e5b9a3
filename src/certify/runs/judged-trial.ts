// Runs a strategy over a stream (generated markets with their events). Judges look for one kind of fault each.
import type { BoundStrategy } from '../../strategy/strategy-definition.ts';
import type { Judge } from './judges.ts';
import type { Stream } from '../streams/stream.ts';
import { millisOf } from '../streams/stream-rows.ts';
import { type Subject, runTrial } from './trial.ts';
import { type CallObserver, withObservers } from './call-observers.ts';

export interface JudgedOptions {
  readonly judges: readonly Judge[];
  /** Wraps the strategy. Judges see the calls to the wrapper. */
  readonly wrap?: (bound: BoundStrategy) => BoundStrategy;
}

/** Runs until the stream ends, or until every judge has a finding. Returns the number of events. */
export function runJudgedTrial(subject: Subject, stream: Stream, { judges, wrap }: JudgedOptions): number {
  let atMs = 0;
  const noticing = judges.filter((judge) => judge.onNotice !== undefined);
  const clock: CallObserver = { onCall: ({ view }) => void (atMs = millisOf(view.now)) };
  const {
    eventCount: events,
    haltedBy,
    forbiddenUse,
  } = runTrial(subject, stream, {
    wrap: (bound) => withObservers(wrap?.(bound) ?? bound, [clock, ...judges]),
    observe: (notice) => {
      for (const judge of noticing) judge.onNotice?.(notice, atMs);
    },
    isEnough: () => judges.length > 0 && judges.every(({ finding }) => finding !== null),
  });
  for (const judge of judges) judge.onEnd?.({ haltedBy, forbiddenUse }, atMs);
  return events;
}
