// What is examined: a venue by the very gateway, feed and normalizer that a session would use, and questions put to it.
// Must never ask for a thing twice on its own: whoever asks sees every answer.
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

/** A venue as it is examined. */
export interface Patient {
  readonly profile: WireProfile;
  /** Where it is, as a person would say it: a world of the venue's own, or an address. */
  readonly place: string;
  readonly gateway: Gateway;
  /** `null` where it cannot be had, for it needs a key and there is none. */
  readonly feed: Feed | null;
  readonly normalizer: Normalizer;
  readonly tickers: TickerTable;
  readonly hasKey: boolean;
  readonly now: () => Micros;
  readonly scheduler: Scheduler;
}

/** What the venue said. */
export type Answered = Extract<AnswerOutcome, { type: 'answered' }>;

/** Why something could not be had from a venue: it did not answer, refused, or said what cannot be read. */
export interface Refused {
  readonly status: number | null;
  readonly code: string | null;
  /** What the refusal says beyond its code. */
  readonly details: string | null;
  readonly words: string;
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Puts questions to a venue. */
export class Asker {
  readonly #gateway: Gateway;
  readonly #now: () => Micros;
  #lastId = 0;

  constructor({ gateway, now }: Pick<Patient, 'gateway' | 'now'>) {
    this.#gateway = gateway;
    this.#now = now;
  }

  /** What every command begins with. */
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

  /** Reads one page as the record that it holds. */
  async ask<T>(target: ReadTarget, spec: RecordSpec<T>): Promise<T | Refused> {
    return recordOf((await this.read(target)).outcome, spec);
  }
}

/** What an answer holds, or why it holds nothing. */
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

/** What the normalizer makes of an answer: what a session would believe. */
export function eventsOf({ normalizer }: Pick<Patient, 'normalizer'>, answer: Answer): EngineEvent[] {
  const events: EngineEvent[] = [];
  normalizer.normalize(answer, (event) => events.push({ ...event }));
  return events;
}

/** Lets time pass. */
export const pause = ({ scheduler }: Pick<Patient, 'scheduler'>, durationMs: number): Promise<void> =>
  new Promise((resolve) => void scheduler.after(durationMs, resolve));
