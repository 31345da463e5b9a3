// Turns the public part of a session into rows: the public feed, and the answers to public reads. Must never pass on
// the recorder's own orders, fills, positions or balances.
import { type ReadCommand, type ReadTarget, isFeedCommand, isPublicRead } from '../../domain/venue-command.ts';
import type { EngineEvent } from '../../domain/event.ts';
import { type EventOf, isOfNature } from '../../domain/event-kinds.ts';
import type { Normalizer } from '../../venue.ts';
import type { GapTracker } from '../baked/gap-tracker.ts';
import type { RowWriter } from '../baked/baked-writer.ts';
import { answerOf, commandsOf, frameOf, inputOf } from '../format/input-lines.ts';
import { SpannedFrame } from '../format/spanned-frame.ts';
import type { Entry } from '../format/tape-line.ts';
import { isSimulatedFrame, mayBeSimulatedFrame } from '../format/simulated-frame.ts';

export interface PublicRowsOptions {
  /** Normalizer that numbers markets by the table of `rows`. */
  readonly normalizer: Normalizer;
  readonly rows: RowWriter;
  readonly coverage: GapTracker;
}

/** Turns the entries of one session into rows. */
export class PublicRows {
  readonly #normalizer: Normalizer;
  readonly #rows: RowWriter;
  readonly #coverage: GapTracker;
  readonly #frame = new SpannedFrame();
  readonly #openReads = new Map<number, ReadCommand>();
  readonly #unrecognized = new Map<string, number>();

  constructor({ normalizer, rows, coverage }: PublicRowsOptions) {
    this.#normalizer = normalizer;
    this.#rows = rows;
    this.#coverage = coverage;
  }

  addEntry(entry: Entry): void {
    switch (entry.kind) {
      case 'frame':
      case 'frame64':
        return this.#addFrame(entry);
      case 'feed-up':
      case 'feed-down':
      case 'feed-sent':
        return this.#addFeedState(entry);
      case 'commands':
        return this.#rememberReads(entry);
      case 'answer':
        return this.#addAnswer(entry);
      // A session's header and end, its own events and notices, and heartbeats make no row.
      case 'segment':
      case 'notices':
      case 'end':
      case 'event':
      case 'feed-heard':
    }
  }

  #addFrame(entry: Entry): void {
    const { span } = entry;
    if (entry.kind === 'frame' && span !== undefined && !mayBeSimulatedFrame(span))
      return this.#normalizer.normalize(this.#frame.setEntry(entry, span), this.#emit);
    const bytes = frameOf(entry);
    if (!isSimulatedFrame(bytes)) this.#normalizer.normalize({ type: 'frame', at: entry.at, bytes }, this.#emit);
  }

  #addFeedState(entry: Entry): void {
    const input = inputOf(entry, () => undefined);
    if (input?.type === 'feed-up') this.#coverage.endGap(input.at);
    if (input?.type === 'feed-down') this.#coverage.beginGap(input.at, `the feed was down: ${input.reason}`);
    if (input !== null && input.type !== 'event') this.#normalizer.normalize(input, this.#emit);
  }

  #rememberReads(entry: Entry): void {
    for (const command of commandsOf(entry)) {
      if (isFeedCommand(command) || command.type !== 'read') continue;
      if (isPublicRead(command.target)) this.#openReads.set(command.id, command);
    }
  }

  #addAnswer(entry: Entry): void {
    const { id, askedAt, outcome } = answerOf(entry);
    const read = this.#openReads.get(id);
    if (read === undefined) return;
    this.#openReads.delete(id);
    const command = { ...read, target: this.#renumbered(read.target) };
    const input = { type: 'answer', at: entry.at, askedAt, command, outcome } as const;
    this.#normalizer.normalize(input, this.#emit);
  }

  /** Gives a read the baked tape's number of its market. A recorder may reuse a number for a second market. */
  #renumbered(target: ReadTarget): ReadTarget {
    return target.what === 'book' ? { ...target, market: this.#rows.marketNumber(target.ticker) } : target;
  }

  readonly #emit = (event: EngineEvent): void => {
    // Deltas are the most frequent events.
    if (event.kind === 'book-delta') return this.#rows.writeDelta(event);
    if (isOfNature(event, 'book')) return this.#addBookEvent(event);
    if (event.kind === 'feed-gap') return this.#coverage.addSuspectBooks(event.at, event.markets, event.reason);
    if (isOfNature(event, 'fact')) return this.#rows.writeOther(event);
    // All other events are private to the recorder, but unreadable input is counted.
    if (event.kind === 'unrecognized')
      this.#unrecognized.set(event.what, (this.#unrecognized.get(event.what) ?? 0) + 1);
  };

  #addBookEvent(event: EventOf<'book'>): void {
    switch (event.kind) {
      case 'book-delta':
        return this.#rows.writeDelta(event);
      case 'print':
        return this.#rows.writePrint(event);
      case 'book-snapshot':
        this.#rows.writeSnapshot(event);
        return this.#coverage.onSnapshot(event.market, event.at);
    }
  }

  /** Ends the session: reports unrecognized input as an assumption. */
  finishRows(): void {
    if (this.#unrecognized.size === 0) return;
    const parts = [...this.#unrecognized].sort(([a], [b]) => (a < b ? -1 : 1));
    this.#rows.addAssumption(
      `What could not be read was left out: ${parts.map(([what, count]) => `${count} × ${what}`).join(', ')}.`,
    );
    this.#unrecognized.clear();
  }
}
