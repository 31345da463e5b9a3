// The load of the feed benchmarks: sockets that all follow the same markets, and the changes of the books that make the
// wanted number of messages.

/** Sockets of the subscribers. */
export const SUBSCRIBERS = 500;
/** Markets that each of them follows. */
export const FOLLOWED_MARKETS = 20;
/** The number of messages a second that the subscribers must receive. */
export const MESSAGES_PER_SECOND = 150_000;
