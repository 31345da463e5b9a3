// What a new session must know of those before it: orders that were sent and whose fate the tape does not tell.
// Must never call an order settled that only went unheard of.
import { type PlaceCommand, type RequestCommand, isFeedCommand } from '../domain/command.ts';
import type { EngineEvent } from '../domain/event.ts';
import type { ClientOrderId } from '../domain/ids.ts';
import type { Remains, UnresolvedOrder } from '../domain/operator.ts';
import type { Micros } from '../domain/units.ts';
import { readHeader } from '../tape/header.ts';
import { answerOf, commandsOf, inputOf } from '../tape/input-line.ts';
import type { Entry } from '../tape/line.ts';
import { TapeReader } from '../tape/reader.ts';
import { segmentsOf } from '../tape/segment-name.ts';
import type { Storage } from '../tape/storage.ts';
import type { Normalizer } from '../venue.ts';

/**
 * What the sessions of some entries leave: orders sent that no entry tells the fate of, oldest first, and the time of the
 * last entry unless it is an end with everything withdrawn and compared. Pure.
 * @param makeNormalizer Makes a normalizer of its own for each session: the live one must not see the past.
 * @param since Orders sent before are left out: whatever became of them, they no longer arrive.
 */
export function remainsOf(entries: Iterable<Entry>, makeNormalizer: () => Normalizer, since: Micros): Remains {
  const fates = new Fates(makeNormalizer);
  let diedAt: Micros | null = null;
  for (const entry of entries) {
    fates.take(entry);
    // The file of the session that reads this may have begun already.
    if (entry.kind !== 'segment') diedAt = isOrderlyEnd(entry) ? null : entry.at;
  }
  return { unresolved: fates.unresolved().filter(({ sentAt }) => sentAt >= since), diedAt };
}

/**
 * The same from the end of a tape, reading no file that ends before `since`.
 * @throws {TapeFault} when what is read cannot be believed.
 * @throws {StorageFault} when a file cannot be read.
 */
export function recover(storage: Storage, makeNormalizer: () => Normalizer, since: Micros): Remains {
  return remainsOf(new TapeReader(storage, { from: firstSegment(storage, since) }).entries(), makeNormalizer, since);
}

/** How a session ends that left nothing to be found out. */
const ORDERLY = JSON.stringify({ reason: 'stopped' });

const isOrderlyEnd = (entry: Entry): boolean => entry.kind === 'end' && entry.payload.toString() === ORDERLY;

/** The file that holds a time: the last that begins before it. */
function firstSegment(storage: Storage, since: Micros): number {
  const numbers = segmentsOf(storage).map(({ number }) => number);
  const begins = (number: number): boolean => {
    const [header] = new TapeReader(storage, { from: number }).entries();
    return header !== undefined && header.at <= since;
  };
  return numbers.findLast(begins) ?? numbers[0] ?? 0;
}

interface Sent {
  readonly command: PlaceCommand;
  readonly sentAt: Micros;
}

/** What is known of each order that was sent. */
class Fates {
  readonly #makeNormalizer: () => Normalizer;
  #normalizer: Normalizer;
  #session = '';
  /** Unanswered requests of the present session, by their numbers. */
  readonly #requests = new Map<number, RequestCommand>();
  readonly #sent = new Map<ClientOrderId, Sent>();
  /** The place that is being answered. */
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

  take(entry: Entry): void {
    if (entry.kind === 'segment') return this.#begin(entry);
    if (entry.kind === 'commands') return this.#send(entry);
    if (entry.kind === 'answer' && !this.#requests.has(answerOf(entry).id)) return;
    // While no fate is open, nothing that is told can close one; the feed's own state does not matter to orders.
    if (this.#sent.size === 0 && entry.kind !== 'answer') return;
    const input = inputOf(entry, (id) => this.#requests.get(id));
    if (input === null || input.type === 'event') return;
    this.#answered = null;
    if (input.type === 'answer') {
      this.#requests.delete(input.command.id);
      if (input.command.type === 'place') this.#answered = input.command;
    }
    this.#normalizer.normalize(input, this.#hear);
  }

  /** Numbers begin anew with each session. */
  #begin(entry: Entry): void {
    const header = readHeader(entry.payload);
    if (typeof header === 'string' || header.session === this.#session) return;
    this.#session = header.session;
    this.#requests.clear();
    this.#normalizer = this.#makeNormalizer();
  }

  #send(entry: Entry): void {
    for (const command of commandsOf(entry)) {
      if (isFeedCommand(command)) continue;
      this.#requests.set(command.id, command);
      if (command.type === 'place') this.#sent.set(command.clientOrderId, { command, sentAt: entry.at });
    }
  }

  readonly #hear = (event: EngineEvent): void => {
    switch (event.kind) {
      case 'order-accepted':
      case 'order-rejected':
      case 'order-not-sent':
        this.#sent.delete(event.clientOrderId);
        return;
      case 'order-updated':
        if (event.order.clientOrderId !== null) this.#sent.delete(event.order.clientOrderId);
        return;
      // Refused for rate: it had no effect. Sent again, it is in the tape again.
      case 'rate-limited':
        if (this.#answered) this.#sent.delete(this.#answered.clientOrderId);
        return;
      default:
    }
  };
}
