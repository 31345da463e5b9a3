// Finds the unresolved orders of earlier sessions: orders that were sent, but whose outcome is not on the tape. Must
// never call an order resolved only because the tape does not mention it again.
import { type PlaceCommand, type RequestCommand, isFeedCommand } from '../../domain/venue-command.ts';
import type { EngineEvent } from '../../domain/event.ts';
import { isOfNature } from '../../domain/event-kinds.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { UnresolvedState, UnresolvedOrder } from '../../domain/operator-order.ts';
import type { Micros } from '../../domain/units.ts';
import { readHeader } from '../../tape/format/segment-header.ts';
import { answerOf, commandsOf, inputOf } from '../../tape/format/input-lines.ts';
import type { Entry } from '../../tape/format/tape-line.ts';
import { TapeReader } from '../../tape/journal/tape-reader.ts';
import { segmentsOf } from '../../tape/format/segment-files.ts';
import type { Storage } from '../../tape/journal/storage.ts';
import type { Normalizer } from '../../venue.ts';
import { ORDERLY_END } from './last-session.ts';

/**
 * Returns the unresolved orders of the sessions, oldest first, and the time of the last entry. That time is `null` when
 * the last session ended properly: all orders were canceled, and its figures were compared. Pure.
 * @param makeNormalizer Creates a separate normalizer for each session, because the live normalizer must not receive
 *   past messages.
 * @param since Orders sent before this time are left out: they can no longer arrive.
 */
export function unresolvedAfter(
  entries: Iterable<Entry>,
  makeNormalizer: () => Normalizer,
  since: Micros,
): UnresolvedState {
  const outcomes = new OrderOutcomes(makeNormalizer);
  let diedAt: Micros | null = null;
  for (const entry of entries) {
    outcomes.addEntry(entry);
    // A file's first entry says nothing about an end: the starting session may have created the file.
    if (entry.kind !== 'segment') diedAt = isOrderlyEnd(entry) ? null : entry.at;
  }
  return { unresolved: outcomes.unresolved().filter(({ sentAt }) => sentAt >= since), diedAt };
}

/**
 * Does the same for a whole tape, without files that end before `since`.
 * @throws {TapeFault} when an entry is damaged.
 * @throws {StorageFault} when a file cannot be read.
 */
export function readUnresolved(storage: Storage, makeNormalizer: () => Normalizer, since: Micros): UnresolvedState {
  return unresolvedAfter(
    new TapeReader(storage, { firstSegment: firstSegment(storage, since) }).entries(),
    makeNormalizer,
    since,
  );
}

/** Payload of a session's last entry after a proper end. */
const ORDERLY = JSON.stringify({ reason: ORDERLY_END });

const isOrderlyEnd = (entry: Entry): boolean => entry.kind === 'end' && entry.payload.toString() === ORDERLY;

/** Returns the tape file that holds a time: the last file that begins no later, or else the first file. */
function firstSegment(storage: Storage, since: Micros): number {
  const numbers = segmentsOf(storage).map(({ number }) => number);
  const startsBefore = (number: number): boolean => {
    const [header] = new TapeReader(storage, { firstSegment: number }).entries();
    return header !== undefined && header.at <= since;
  };
  return numbers.findLast(startsBefore) ?? numbers[0] ?? 0;
}

interface SentOrder {
  readonly command: PlaceCommand;
  readonly sentAt: Micros;
}

class OrderOutcomes {
  readonly #makeNormalizer: () => Normalizer;
  #normalizer: Normalizer;
  #session = '';
  /**
   * Unanswered requests of the current session, by number. Added when sent; removed when answered, and when a session
   * begins.
   */
  readonly #requests = new Map<number, RequestCommand>();
  readonly #sent = new Map<ClientOrderId, SentOrder>();
  /** The order that the current input answers; `null` for any other input. */
  #answered: PlaceCommand | null = null;

  constructor(makeNormalizer: () => Normalizer) {
    this.#makeNormalizer = makeNormalizer;
    this.#normalizer = makeNormalizer();
  }

  unresolved(): UnresolvedOrder[] {
    return [...this.#sent.values()].map(({ command, sentAt }) => {
      const { clientOrderId, ticker, side, price, qty } = command;
      return { clientOrderId, ticker, side, price, qty, sentAt };
    });
  }

  addEntry(entry: Entry): void {
    if (entry.kind === 'segment') return this.#beginSession(entry);
    if (entry.kind === 'commands') return this.#recordSent(entry);
    if (entry.kind === 'answer' && !this.#requests.has(answerOf(entry).id)) return;
    // While every order is resolved, only answers matter, because they end their requests.
    if (this.#sent.size === 0 && entry.kind !== 'answer') return;
    const input = inputOf(entry, (id) => this.#requests.get(id));
    if (input === null || input.type === 'event') return;
    this.#answered = null;
    if (input.type === 'answer') {
      this.#requests.delete(input.command.id);
      if (input.command.type === 'place') this.#answered = input.command;
    }
    this.#normalizer.normalize(input, this.#onEvent);
  }

  /** Request numbers restart with each session. */
  #beginSession(entry: Entry): void {
    const header = readHeader(entry.payload);
    if (typeof header === 'string' || header.session === this.#session) return;
    this.#session = header.session;
    this.#requests.clear();
    this.#normalizer = this.#makeNormalizer();
  }

  #recordSent(entry: Entry): void {
    for (const command of commandsOf(entry)) {
      if (isFeedCommand(command)) continue;
      this.#requests.set(command.id, command);
      if (command.type === 'place') this.#sent.set(command.clientOrderId, { command, sentAt: entry.at });
    }
  }

  readonly #onEvent = (event: EngineEvent): void => {
    // A request that the rate limit refused had no effect. If it is sent again, the tape holds it again.
    if (event.kind === 'rate-limited' && this.#answered) this.#sent.delete(this.#answered.clientOrderId);
    if (!isOfNature(event, 'account')) return;
    switch (event.kind) {
      case 'order-accepted':
      case 'order-rejected':
      case 'order-not-sent':
        this.#sent.delete(event.clientOrderId);
        return;
      case 'order-updated':
        if (event.order.clientOrderId !== null) this.#sent.delete(event.order.clientOrderId);
        return;
      // None of these resolves an order. Only a definite answer to the order, or the feed's report of the order, does.
      case 'order-unknown':
      case 'cancel-accepted':
      case 'cancel-refused':
      case 'cancel-lost':
      case 'amend-accepted':
      case 'amend-refused':
      case 'amend-lost':
      case 'fill':
      case 'position-updated':
    }
  };
}
