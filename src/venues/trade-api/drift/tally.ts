// Differences counted: the same one at the same place is one row, however often it was seen. Pure.
// Must never grow without bound on a venue that says something new in every message.
import type { Finding } from './finding.ts';
import { OwnSchemas } from './ours.ts';
import type { PublishedApi, PublishedFeed, SeenAnswer } from './published.ts';
import type { WireProfile } from '../profile.ts';
import { describeFound } from '../wire/fault.ts';
import { parseBody } from '../wire/json.ts';

/** What something was laid beside: the venue's own files, or our schemas. */
export type Beside = 'published' | 'ours';

/** One difference, and how often it was seen. */
export interface DriftRow extends Finding {
  readonly beside: Beside;
  /** What it was found in: an endpoint, or a type of message. */
  readonly where: string;
  readonly count: number;
}

/** What was looked at, and what was found. */
export interface DriftReport {
  readonly answers: number;
  readonly messages: number;
  /** Rows that were not kept, for there were too many. */
  readonly dropped: number;
  readonly rows: readonly DriftRow[];
}

const ROWS_MAX = 2000;

export interface DriftOptions {
  readonly profile: WireProfile;
  /** Without them, only our own schemas are looked at. */
  readonly api?: PublishedApi;
  readonly feed?: PublishedFeed;
}

/** Lays everything it is shown beside the schemas there are, and counts. */
export class DriftTally {
  readonly #options: DriftOptions;
  readonly #ours: OwnSchemas;
  readonly #rows = new Map<string, DriftRow>();
  #answers = 0;
  #messages = 0;
  #dropped = 0;

  constructor(options: DriftOptions) {
    this.#options = options;
    this.#ours = new OwnSchemas(options.profile);
  }

  /** An answer as it came. */
  answer(answer: SeenAnswer): void {
    const { api } = this.#options;
    this.#answers += 1;
    const { method, path, status } = answer;
    const where = this.#ours.nameOf(answer) ?? api?.nameOf(answer) ?? `${method} ${path.split('?')[0] ?? ''}`;
    const told = `${where} ${status}`;
    this.#take('ours', told, this.#ours.compare(answer));
    if (api !== undefined) this.#take('published', told, api.compare(answer));
  }

  /** A message of the feed as it came. */
  message(text: string): void {
    const { feed } = this.#options;
    this.#messages += 1;
    const message = parseBody(text);
    const where = `message ${typeOf(message)}`;
    this.#take('ours', where, this.#ours.compareMessage(message));
    if (feed !== undefined) this.#take('published', where, feed.compare(message));
  }

  #take(beside: Beside, where: string, findings: readonly Finding[]): void {
    for (const finding of findings) {
      const key = [beside, where, finding.kind, finding.path].join('\n');
      const known = this.#rows.get(key);
      if (known !== undefined) this.#rows.set(key, { ...known, count: known.count + 1 });
      else if (this.#rows.size >= ROWS_MAX) this.#dropped += 1;
      else this.#rows.set(key, { ...finding, beside, where, count: 1 });
    }
  }

  /** How it stands. */
  report(): DriftReport {
    const rows = [...this.#rows.values()].sort((a, b) => orderOf(a).localeCompare(orderOf(b)));
    return { answers: this.#answers, messages: this.#messages, dropped: this.#dropped, rows };
  }
}

const orderOf = ({ beside, where, kind, path }: DriftRow): string => [beside, where, kind, path].join('\n');

const typeOf = (message: unknown): string =>
  typeof message === 'object' && message !== null && 'type' in message && typeof message.type === 'string'
    ? message.type
    : describeFound(message);
