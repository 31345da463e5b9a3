// The inputs of the checks: a venue with the same gateway, feed and normalizer that a session would use, and a client
// for requests. Must never repeat a request by itself: every answer goes to the caller.
import type { ReadTarget, RequestCommand } from '../../domain/venue-command.ts';
import type { EngineEvent } from '../../domain/event.ts';
import type { TickerTable } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { Scheduler } from '../../transport/scheduler.ts';
import type { Answer, AnswerOutcome, Feed, Gateway, Normalizer } from '../../venue.ts';
import type { WireProfile } from '../../venues/trade-api/profiles/wire-profile.ts';
import { codecOf, tryDecode } from '../../venues/trade-api/wire/codec.ts';
import { decodeError } from '../../venues/trade-api/wire/error-body.ts';
import { WireFault } from '../../venues/trade-api/wire/wire-fault.ts';
import { parseBody } from '../../venues/trade-api/wire/json-record.ts';
import type { RecordSpec } from '../../venues/trade-api/wire/record-spec.ts';

/** The venue that is checked. */
export interface CheckSubject {
  readonly profile: WireProfile;
  /** The venue's name for people: one of its environments, or an address. */
  readonly place: string;
  readonly gateway: Gateway;
  /** `null` when a needed key is missing, or when the key cannot be used. */
  readonly feed: Feed | null;
  readonly normalizer: Normalizer;
  readonly tickers: TickerTable;
  readonly hasKey: boolean;
  readonly now: () => Micros;
  readonly scheduler: Scheduler;
}

/** An answer of the venue. */
export type VenueAnswer = Extract<AnswerOutcome, { type: 'answered' }>;

/** Reason why a record could not be read: no answer, a refusal, or an unreadable answer. */
export interface FailedRead {
  readonly status: number | null;
  readonly code: string | null;
  /** Details in the venue's refusal besides code and message; `null` when there are none. */
  readonly details: string | null;
  readonly words: string;
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Sends requests to a venue. */
export class VenueRequests {
  readonly #gateway: Gateway;
  readonly #now: () => Micros;
  #lastId = 0;

  constructor({ gateway, now }: Pick<CheckSubject, 'gateway' | 'now'>) {
    this.#gateway = gateway;
    this.#now = now;
  }

  commandBase(): { readonly id: number; readonly createdAt: Micros; readonly validUntil: null } {
    this.#lastId += 1;
    return { id: this.#lastId, createdAt: this.#now(), validUntil: null };
  }

  sendCommand(command: RequestCommand): Promise<Answer> {
    return this.#gateway.send(command, new AbortController().signal);
  }

  readPage(target: ReadTarget): Promise<Answer> {
    return this.sendCommand({ ...this.commandBase(), type: 'read', lane: 'read', target, cursor: null });
  }

  async readRecord<T>(target: ReadTarget, spec: RecordSpec<T>): Promise<T | FailedRead> {
    return recordOf((await this.readPage(target)).outcome, spec);
  }
}

/** Decodes the record of an answer, or returns the reason why it cannot be read. */
export function recordOf<T>(outcome: AnswerOutcome, spec: RecordSpec<T>): T | FailedRead {
  if (outcome.type !== 'answered') return { status: null, code: null, details: null, words: outcome.reason };
  const { status, body } = outcome;
  if (!isSuccess(status)) return refusalOf(status, body);
  const record = tryDecode(codecOf(spec), parseBody(body));
  if (!(record instanceof WireFault)) return record;
  return { status, code: null, details: null, words: `its answer cannot be read: ${record.message}` };
}

function refusalOf(status: number, body: string): FailedRead {
  const { code, message, details } = decodeError(status, body);
  const parts = [message, details].filter((part) => part !== null && part.replaceAll(' ', '_') !== code);
  return { status, code, details, words: `${status} ${code}${parts.length > 0 ? `: ${parts.join(': ')}` : ''}` };
}

export const isFailedRead = (found: object): found is FailedRead => 'words' in found && 'details' in found;

/** Returns the events that a session would see for an answer. */
export function eventsOf({ normalizer }: Pick<CheckSubject, 'normalizer'>, answer: Answer): EngineEvent[] {
  const events: EngineEvent[] = [];
  normalizer.normalize(answer, (event) => events.push({ ...event }));
  return events;
}

/** Waits for a number of milliseconds. */
export const waitFor = ({ scheduler }: Pick<CheckSubject, 'scheduler'>, durationMs: number): Promise<void> =>
  new Promise((resolve) => void scheduler.after(durationMs, resolve));
