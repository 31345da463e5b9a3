// The scanners of a feed's public messages, tried one after another: the most frequent message first. Must never read a
// frame that its codec would read differently.
import type { TickerTable } from '../../../domain/ids.ts';
import type { Frame } from '../../../venue.ts';
import type { FeedMessages, FeedProfile } from '../profiles/wire-profile.ts';
import { type MessageScanner, createDeltaScanner, createPrintScanner, createTickerScanner } from './message-scanner.ts';
import { TickerBytes } from './ticker-bytes.ts';

/** Scanners of deltas, tickers and prints. One that is `null` does not support the profile's message. */
export class MarketScanners {
  readonly deltas: MessageScanner | null;
  readonly tickers: MessageScanner | null;
  readonly prints: MessageScanner | null;

  constructor(messages: FeedMessages, numbers: FeedProfile['numbers'], tickers: TickerTable) {
    const names = new TickerBytes(tickers);
    // Messages may carry numbers even where numbers are ignored.
    const delta = numbers === 'ignored' ? { ...messages.delta, hasSeq: true } : messages.delta;
    this.deltas = createDeltaScanner(delta, names);
    this.tickers = createTickerScanner(messages.ticker, names);
    this.prints = createPrintScanner(messages.print, names);
  }

  /** Returns the scanner that has read the frame, or `null`. Its members hold the message until the next scan. */
  scanFrame(frame: Frame): MessageScanner | null {
    if (this.deltas !== null && isScanned(this.deltas, frame)) return this.deltas;
    if (this.tickers !== null && isScanned(this.tickers, frame)) return this.tickers;
    return this.prints !== null && isScanned(this.prints, frame) ? this.prints : null;
  }
}

/** A frame with a `span` is scanned in its buffer: reading `bytes` would copy it. */
const isScanned = (scanner: MessageScanner, frame: Frame): boolean =>
  frame.span === undefined ? scanner.scan(frame.bytes) : scanner.scanSpan(frame.span);
