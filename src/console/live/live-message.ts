// Messages of the live stream. Types only.
import type { LiveBody, LiveEventName } from '../api/view-schemas.ts';

/** A message of the live stream. */
export interface LiveMessage<Name extends LiveEventName = LiveEventName> {
  readonly event: Name;
  readonly data: LiveBody<Name>;
  /** On the last message of a batch: the id of the latest change in the batch. */
  readonly id?: string;
}

/** The source of the messages for one reader. */
export interface MessageSource {
  /** Returns the messages that are due. `isTick` is true after a second without a change. */
  readonly composeMessages: (isTick: boolean) => readonly LiveMessage[];
  readonly changed: () => Promise<void>;
  readonly close: () => void;
}
