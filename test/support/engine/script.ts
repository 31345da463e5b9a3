// What a scripted venue is told to do with what it is asked; whatever is left out goes well.
import type { CancelCommand, DecreaseCommand, PlaceCommand, ReadCommand } from '../../../src/domain/command.ts';
import type { FillReport, OrderReport } from '../../../src/domain/event.ts';
import type { Told } from './account-reads.ts';

/** What becomes of a new order. `lose`: the order arrived, its answer did not. `vanish`: neither did. */
export type PlaceFate = 'accept' | 'reject' | 'lose' | 'vanish' | 'not-sent' | 'limit' | 'take' | 'take-half';
/** What becomes of a cancel, or of a read. */
export type Fate = 'do' | 'lose' | 'vanish' | 'limit';

/** How the venue treats what it is asked; whatever is left out goes well. */
export interface Script {
  /** Whether a command of this type is answered with snapshots. */
  snapshots?: (type: 'subscribe' | 'resync' | 'renew') => boolean;
  /** Whether the private channels are granted. */
  grants?: () => boolean;
  /** Whether the feed tells of a change to one of our orders. */
  tells?: (order: OrderReport) => boolean;

  place?: (command: PlaceCommand) => PlaceFate;
  cancel?: (command: CancelCommand) => Fate;
  decrease?: (command: DecreaseCommand) => Fate | 'refuse';
  /** Whether the answer to a decrease tells what had traded, beside what remains. */
  tellsTraded?: () => boolean;
  /** Whether the feed tells of a fill. */
  tellsFill?: (fill: FillReport) => boolean;
  /** What a read is answered with, in place of the truth: lists that lag behind, that are empty, that lack something. */
  answers?: (command: ReadCommand, truth: Told) => Told;
  read?: (command: ReadCommand) => 'do' | 'fail' | 'refuse' | 'limit';
}

/** An order that the venue has, and how far it has come. */
export interface Resting {
  report: OrderReport;
  leaves: number;
  filled: number;
  /** What was asked for; less when it was made smaller. */
  total: number;
}
