// The inputs of the checks: a venue with the same gateway, feed and normalizer that a session would use, and a client
// for requests. Must never repeat a request by itself: every answer goes to the caller.
import type { ReadTarget, RequestCommand } from '../../domain/command.ts';
import type { EngineEvent } from '../../domain/event.ts';
import type { TickerTable } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { Scheduler } from '../../transport/scheduler.ts';
import type { Answer, AnswerOutcome, Feed, Gateway, Normalizer } from '../../venue.ts';
import type { WireProfile } from '../../venues/trade-api/profile.ts';
import { codecOf, tryDecode } from '../../venues/trade-api/wire/codec.ts';
import { parseError } from '../../venues/trade-api/wire/errors.ts';
import { WireFault } from '../../venues/trade-api/wire/fault.ts';
import { parseBody } from '../../venues/trade-api/wire/json.ts';
import type { RecordSpec } from '../../venues/trade-api/wire/spec.ts';

/** The venue that is checked. */
export interface Patient {
  readonly profile: WireProfile;
  /** The venue for people: one of its environments, or an address. */
  readonly place: string;
  readonly gateway: Gateway;
  /** `null` when it needs a key and there is none. */
  readonly feed: Feed | null;
  readonly normalizer: Normalizer;
  readonly tickers: TickerTable;
  readonly hasKey: boolean;
  readonly now: () => Micros;
  readonly scheduler: Scheduler;
}

/** An answer of the venue. */
export type Answered = Extract<AnswerOutcome, { type: 'answered' }>;

/** Why a record could not be read: the venue did not answer, refused, or sent something unreadable. */
export interface Refused {
  readonly status: number | null;
  readonly code: string | null;
  /** The refusal's text beyond its code. */
  readonly details: string | null;
  readonly words: string;
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Sends requests to a venue. */
export class Asker {
  readonly #gateway: Gateway;
  readonly #now: () => Micros;
  #lastId = 0;

  constructor({ gateway, now }: Pick<Patient, 'gateway' | 'now'>) {
    this.#gateway = gateway;
    this.#now = now;
  }

  /** Returns the fields that every command starts with. */
  next(): { readonly id: number; readonly createdAt: Micros; readonly validUntil: null } {
    this.#lastId += 1;
    return { id: this.#lastId, createdAt: this.#now(), validUntil: null };
  }

  send(command: RequestCommand): Promise<Answer> {
    return this.#gateway.send(command, new AbortController().signal);
  }

  /** Reads one page. */
  read(target: ReadTarget): Promise<Answer> {
    return this.send({ ...this.next(), type: 'read', lane: 'read', target, cursor: null });
  }

  /** Reads one page and decodes its record. */
  async ask<T>(target: ReadTarget, spec: RecordSpec<T>): Promise<T | Refused> {
    return recordOf((await this.read(target)).outcome, spec);
  }
}

/** Decodes the record of an answer, or returns why there is none. */
export function recordOf<T>(outcome: AnswerOutcome, spec: RecordSpec<T>): T | Refused {
  if (outcome.type !== 'answered') return { status: null, code: null, details: null, words: outcome.reason };
  const { status, body } = outcome;
  if (!isSuccess(status)) return refusalOf(status, body);
  const record = tryDecode(codecOf(spec), parseBody(body));
  if (!(record instanceof WireFault)) return record;
  return { status, code: null, details: null, words: `its answer cannot be read: ${record.message}` };
}

function refusalOf(status: number, body: string): Refused {
  const { code, message, details } = parseError(status, body);
  const parts = [message, details].filter((part) => part !== null && part.replaceAll(' ', '_') !== code);
  return { status, code, details, words: `${status} ${code}${parts.length > 0 ? `: ${parts.join(': ')}` : ''}` };
}

export const isRefused = (found: object): found is Refused => 'words' in found && 'details' in found;

/** Returns the normalizer's events for an answer: what a session would see. */
export function eventsOf({ normalizer }: Pick<Patient, 'normalizer'>, answer: Answer): EngineEvent[] {
  const events: EngineEvent[] = [];
  normalizer.normalize(answer, (event) => events.push({ ...event }));
  return events;
}

/** Waits. */
export const pause = ({ scheduler }: Pick<Patient, 'scheduler'>, durationMs: number): Promise<void> =>
  new Promise((resolve) => void scheduler.after(durationMs, resolve));
