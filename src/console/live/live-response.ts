// Writes a live stream as server-sent events, one batch at a time. Must never keep a reader that does not read. Must
// never send to a reader whose login has ended.
import type { Context } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { LiveMessage, MessageSource } from './live-message.ts';

/** Most readers of all bots together, and from one address. */
const CLIENTS_MAX = 32;
const CLIENTS_PER_ADDRESS_MAX = 6;
/** The reason for which `addClient` adds no reader. */
export const TOO_MANY_STREAMS = `too many live streams are open: at most ${CLIENTS_PER_ADDRESS_MAX} from one address and ${CLIENTS_MAX} in all`;
/** Time allowed for writing a batch. Milliseconds. */
export const WRITE_MS_MAX = 15_000;
/** Time without a change after which at least a comment is sent. Proxies close silent streams. Milliseconds. */
const IDLE_MS = 1000;
/** Wait of the browser before it connects again. Milliseconds. */
const RETRY_MS = 1000;

/** Counts the readers of live streams. */
export class LiveClients {
  #count = 0;
  /** Number of readers, by address. Removed when it falls to zero. */
  readonly #byAddress = new Map<string, number>();
  /** Number of readers that were dropped for not reading. */
  dropped = 0;

  get size(): number {
    return this.#count;
  }

  /** Adds a reader. Returns false when there are too many. */
  addClient(address: string): boolean {
    const own = this.#byAddress.get(address) ?? 0;
    if (this.#count >= CLIENTS_MAX || own >= CLIENTS_PER_ADDRESS_MAX) return false;
    this.#count += 1;
    this.#byAddress.set(address, own + 1);
    return true;
  }

  removeClient(address: string): void {
    const own = this.#byAddress.get(address) ?? 0;
    this.#count -= 1;
    if (own > 1) this.#byAddress.set(address, own - 1);
    else this.#byAddress.delete(address);
  }
}

export interface LiveResponseOptions {
  readonly source: MessageSource;
  /** Least time between two batches. Milliseconds. */
  readonly gapMs: number;
  readonly isAllowed: () => boolean;
  /** Called once, at the end. `isDropped` is true when the reader did not read. */
  readonly onEnd: (isDropped: boolean) => void;
  readonly destroy: () => void;
  /** @default `WRITE_MS_MAX` */
  readonly writeMsMax?: number;
}

/** Answers a request with a live stream. */
export function liveResponse(context: Context, options: LiveResponseOptions): Response {
  return streamSSE(context, async (stream) => {
    let isDropped = false;
    try {
      isDropped = !(await pump(stream, options));
    } finally {
      options.source.close();
      options.onEnd(isDropped);
      // The connection would otherwise stay open.
      if (isDropped) options.destroy();
    }
  });
}

/** Writes until the reader leaves or the login ends. Returns false when the reader did not read. */
async function pump(stream: SSEStreamingApi, options: LiveResponseOptions): Promise<boolean> {
  const { source, gapMs, isAllowed, writeMsMax = WRITE_MS_MAX } = options;
  const ended = new Promise<void>((resolve) => stream.onAbort(resolve));
  let isTick = false;
  let isFirst = true;
  while (isOpen(stream) && isAllowed()) {
    const text = textOf(source.composeMessages(isTick), isFirst);
    if (text !== '' || isTick) {
      const isWritten = await within(stream.write(text === '' ? ': idle\n\n' : text), writeMsMax);
      if (!isWritten) return false;
    }
    isFirst = false;
    await Promise.race([pause(gapMs), ended]);
    const isChanged = await Promise.race([source.changed().then(() => true), pause(IDLE_MS).then(() => false), ended]);
    isTick = isChanged === false;
  }
  return true;
}

const isOpen = ({ aborted, closed }: SSEStreamingApi): boolean => !aborted && !closed;

const pause = (forMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, forMs).unref());

async function within(written: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  const isWritten = await Promise.race([written.then(() => true), late]);
  clearTimeout(timer);
  return isWritten;
}

/** JSON has no line breaks, so each body is one line of data. */
function textOf(messages: readonly LiveMessage[], isFirst: boolean): string {
  const retry = isFirst ? `retry: ${RETRY_MS}\n\n` : '';
  const bodies = messages.map(({ event, data, id }) => {
    const idLine = id === undefined ? '' : `id: ${id}\n`;
    return `event: ${event}\n${idLine}data: ${JSON.stringify(data)}\n\n`;
  });
  return retry + bodies.join('');
}
