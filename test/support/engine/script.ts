// The script of a scripted venue: its treatment of each request. Everything that is not scripted succeeds.
import type {
  AmendCommand,
  CancelCommand,
  DecreaseCommand,
  PlaceCommand,
  ReadCommand,
} from '../../../src/domain/venue-command.ts';
import type { FillReport, OrderReport } from '../../../src/domain/event.ts';
import type { UntimedEvent } from './account-reads.ts';

/** Outcome of a new order. `lose`: the order arrived, but its answer is lost. `vanish`: neither arrived. */
export type ScriptedPlaceOutcome =
  | 'accept'
  | 'reject'
  | 'lose'
  | 'vanish'
  | 'not-sent'
  | 'limit'
  | 'take'
  | 'take-half';
/** Outcome of a cancel, a decrease or an amend. */
export type ScriptedOutcome = 'do' | 'lose' | 'vanish' | 'limit';

/** Treatment of requests and of the feed. Everything that is absent succeeds. */
export interface Script {
  /** True when a command of this type is answered with snapshots. */
  snapshots?: (type: 'subscribe' | 'resync' | 'renew') => boolean;
  /** True when the private channels are granted. */
  grants?: () => boolean;
  /** True when the feed reports a change of one of our orders. */
  reportsOrder?: (order: OrderReport) => boolean;

  place?: (command: PlaceCommand) => ScriptedPlaceOutcome;
  /** `refuse`: the venue says that it has no such order, though it has. */
  cancel?: (command: CancelCommand) => ScriptedOutcome | 'refuse';
  decrease?: (command: DecreaseCommand) => ScriptedOutcome | 'refuse';
  amend?: (command: AmendCommand) => ScriptedOutcome | 'refuse';
  /** True when the answer to a decrease or an amend includes the traded quantity beside what remains. */
  reportsTraded?: () => boolean;
  /** True when the feed reports a fill. */
  reportsFill?: (fill: FillReport) => boolean;
  /** The answer to a read in place of the truth: lists that lag, are empty, or lack a row. */
  answers?: (command: ReadCommand, truth: UntimedEvent) => UntimedEvent;
  read?: (command: ReadCommand) => 'do' | 'fail' | 'refuse' | 'limit';
}

/** An order at the venue and its progress. */
export interface Resting {
  report: OrderReport;
  leaves: number;
  filled: number;
  /** The quantity of the order, after decreases and amends. */
  total: number;
}
