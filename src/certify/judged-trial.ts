// Runs a strategy over a stream with judges.
import type { BoundStrategy } from '../strategy/strategy.ts';
import type { Judge } from './judges.ts';
import type { Stream } from './stream.ts';
import { millisOf } from './stream-rows.ts';
import { type Subject, runTrial } from './trial.ts';
import { type Watch, watched } from './watched.ts';

export interface JudgedOptions {
  readonly judges: readonly Judge[];
  /** Wraps the strategy inside the judges. */
  readonly wrap?: (bound: BoundStrategy) => BoundStrategy;
}

/** Runs until the stream ends or every judge has a finding. Returns the number of events. */
export function judgedTrial(subject: Subject, stream: Stream, { judges, wrap }: JudgedOptions): number {
  let atMs = 0;
  const noticing = judges.filter((judge) => judge.noticed !== undefined);
  const clock: Watch = { calling: ({ view }) => void (atMs = millisOf(view.now)) };
  const {
    told: events,
    haltedBy,
    forbiddenUse,
  } = runTrial(subject, stream, {
    wrap: (bound) => watched(wrap?.(bound) ?? bound, [clock, ...judges]),
    observe: (notice) => {
      for (const judge of noticing) judge.noticed?.(notice, atMs);
    },
    isEnough: () => judges.length > 0 && judges.every(({ finding }) => finding !== null),
  });
  for (const judge of judges) judge.ended?.({ haltedBy, forbiddenUse }, atMs);
  return events;
}
