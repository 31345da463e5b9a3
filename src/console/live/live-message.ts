// The messages of the live stream, and where one reader's messages come from. Types only.
import type { LiveBody, LiveEventName } from '../api/view-schemas.ts';

/** A message of the stream. */
export interface LiveMessage<Name extends LiveEventName = LiveEventName> {
  readonly event: Name;
  readonly data: LiveBody<Name>;
  /** Set on the last message of a batch: the reader then has everything up to this change. */
  readonly id?: string;
}

/** A source of messages for one reader. */
export interface MessageSource {
  /** Returns the messages that are due. `isTick` is true when nothing changed for a second. */
  readonly composeMessages: (isTick: boolean) => readonly LiveMessage[];
  /** Resolves when something has changed. */
  readonly changed: () => Promise<void>;
  readonly close: () => void;
}
