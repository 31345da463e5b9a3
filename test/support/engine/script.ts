// What a scripted venue is told to do with what it is asked; whatever is left out goes well.
import type { CancelCommand, PlaceCommand, ReadCommand } from '../../../src/domain/command.ts';
import type { OrderReport } from '../../../src/domain/event.ts';

/** What becomes of a new order. `lose`: the order arrived, its answer did not. `vanish`: neither did. */
export type PlaceFate = 'accept' | 'reject' | 'lose' | 'vanish' | 'not-sent' | 'limit' | 'take-half';
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
  read?: (command: ReadCommand) => 'do' | 'fail' | 'refuse' | 'limit';
}

/** An order that the venue has, and how far it has come. */
export interface Resting {
  report: OrderReport;
  leaves: number;
  filled: number;
  readonly total: number;
}
