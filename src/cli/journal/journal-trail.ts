// Follows one order through a journal: its commands, the input before each command, the answers, and messages about the
// order.
import { type RequestCommand, isFeedCommand } from '../../domain/venue-command.ts';
import type { EngineEvent } from '../../domain/event.ts';
import { TickerTable } from '../../domain/ids.ts';
import { profileByName } from '../../venues/trade-api/profiles/profile-registry.ts';
import { tradeApiReplayParts } from '../../venues/trade-api/replay-parts.ts';
import { readHeader } from '../../tape/format/segment-header.ts';
import { commandsOf, inputOf } from '../../tape/format/input-lines.ts';
import type { Entry, EntryKind } from '../../tape/format/tape-line.ts';
import type { Normalizer } from '../../venue.ts';

/**
 * The role of an entry: it causes a command of the order, holds the command, answers the command, or reports on the
 * order.
 */
export type TrailRole = 'cause' | 'command' | 'answer' | 'report';

/** An entry that concerns the order. */
export interface TrailStep {
  readonly entry: Entry;
  readonly role: TrailRole;
}

/** Entries that belong to the input before them. */
const AFTER_INPUT: ReadonlySet<EntryKind> = new Set(['segment', 'commands', 'notices', 'end']);

/** Requests by number, within one session, until their answer has passed. */
export class JournalRequests {
  readonly #byId = new Map<number, RequestCommand>();
  #session = '';
  /** Number of the request that the last input answers. */
  #answered: number | null = null;

  /** The numbers of requests start again with each session. A request is known until the input after its answer. */
  addEntry(entry: Entry): void {
    if (!AFTER_INPUT.has(entry.kind)) {
      if (this.#answered !== null) this.#byId.delete(this.#answered);
      this.#answered = entry.kind === 'answer' ? idOf(entry) : null;
    }
    if (entry.kind === 'segment') {
      const header = readHeader(entry.payload);
      if (typeof header !== 'string' && header.session !== this.#session) {
        this.#session = header.session;
        this.#byId.clear();
      }
    }
    if (entry.kind === 'commands')
      for (const command of commandsOf(entry)) if (!isFeedCommand(command)) this.#byId.set(command.id, command);
  }

  readonly requestOf = (id: number): RequestCommand | undefined => this.#byId.get(id);
}

/** Follows one order through the entries of a journal. */
export class OrderTrail {
  readonly #order: string;
  readonly #requests = new JournalRequests();
  #normalizer: Normalizer | null = null;
  /** `null` until the venue has sent the id. */
  #venueOrderId: string | null = null;
  #lastInput: Entry | null = null;

  constructor(order: string) {
    this.#order = order;
  }

  /** The input that caused a command comes before the command. */
  stepsOf(entry: Entry): TrailStep[] {
    this.#requests.addEntry(entry);
    if (entry.kind === 'segment') this.#startSession(entry);
    if (entry.kind === 'commands') return this.#stepsOfCommands(entry);
    const role = this.#roleOf(entry);
    if (!AFTER_INPUT.has(entry.kind)) this.#lastInput = { ...entry, payload: Buffer.from(entry.payload) };
    return role === null ? [] : [{ entry, role }];
  }

  #startSession(entry: Entry): void {
    const header = readHeader(entry.payload);
    if (typeof header === 'string' || !header.manifest) return;
    const profile = profileByName(header.manifest.profile);
    this.#normalizer = profile ? tradeApiReplayParts({ profile, tickers: new TickerTable() }).normalizer : null;
  }

  #stepsOfCommands(entry: Entry): TrailStep[] {
    if (!commandsOf(entry).some((command) => 'clientOrderId' in command && command.clientOrderId === this.#order))
      return [];
    const cause = this.#lastInput;
    this.#lastInput = null;
    const step: TrailStep = { entry, role: 'command' };
    return cause === null ? [step] : [{ entry: cause, role: 'cause' }, step];
  }

  #roleOf(entry: Entry): TrailRole | null {
    if (entry.kind !== 'answer' && entry.kind !== 'frame' && entry.kind !== 'frame64') return null;
    if (entry.kind === 'answer' && this.#requests.requestOf(idOf(entry)) === undefined) return null;
    const input = inputOf(entry, this.#requests.requestOf);
    if (input === null || input.type === 'event') return null;
    let isAbout =
      input.type === 'answer' && 'clientOrderId' in input.command && input.command.clientOrderId === this.#order;
    const isAnswer = isAbout;
    this.#normalizer?.normalize(input, (event) => {
      isAbout = this.#isAboutOrder(event) || isAbout;
    });
    if (!isAbout) return null;
    return isAnswer ? 'answer' : 'report';
  }

  #isAboutOrder(event: EngineEvent): boolean {
    if (event.kind === 'order-updated') return this.#isOurs(event.order);
    if (event.kind === 'fill') return this.#isOurs(event.fill);
    if (event.kind !== 'order-accepted' || event.clientOrderId !== this.#order) return false;
    this.#venueOrderId = event.venueOrderId;
    return true;
  }

  #isOurs(order: { readonly clientOrderId?: string | null; readonly venueOrderId: string }): boolean {
    if (order.clientOrderId === this.#order) this.#venueOrderId = order.venueOrderId;
    return order.venueOrderId === this.#venueOrderId;
  }
}

function idOf(entry: Entry): number {
  const value: unknown = JSON.parse(entry.payload.toString());
  return typeof value === 'object' && value !== null && 'id' in value ? Number(value.id) : -1;
}
