// The parts of a running session that its followers see. Must never offer a way to change anything.
import type { Micros } from '../../domain/units.ts';
import type { Engine } from '../../engine.ts';
import type { SessionTally } from '../session/session-tally.ts';

/** Facts that stay the same while a session runs. */
export interface FollowFacts {
  /** Name of the bot's data folder. */
  readonly bot: string;
  readonly program: string;
  readonly profile: string;
  readonly isPaper: boolean;
  readonly hasKey: boolean;
  readonly startedAt: Micros;
  /** Parameters of each strategy, by the strategy's name. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** A running session, as followers read it. */
export interface FollowSource {
  readonly engine: Engine;
  readonly tally: SessionTally;
  readonly facts: FollowFacts;
  /** The session's name; empty before its start. */
  readonly sessionName: () => string;
  readonly now: () => Micros;
  /** Bytes written to the journal so far; `null` without a journal. */
  readonly journalBytes: () => number | null;
  /** Remarks on the venue that a person should know and no event reports. */
  readonly remarks: () => readonly string[];
}
