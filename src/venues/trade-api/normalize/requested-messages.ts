// The messages of a feed as its frames carry them. Must never decide: the profile says what it requests.
import type { FeedMessages, FeedProfile } from '../profiles/wire-profile.ts';
import { onYesScale } from '../wire/yes-scale.ts';

/** The feed's messages. Snapshots and deltas are on the YES scale when the profile requests that. */
export function requestedMessages({ messages, onYesScale: isYesScale }: FeedProfile): FeedMessages {
  if (isYesScale !== true) return messages;
  const { snapshot, delta } = messages;
  return {
    ...messages,
    snapshot: { ...snapshot, record: onYesScale(snapshot.record) },
    delta: { ...delta, record: onYesScale(delta.record) },
  };
}
