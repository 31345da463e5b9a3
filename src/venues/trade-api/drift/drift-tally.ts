// Counts differences: those of one kind at one path of one endpoint or message are one row. Must never grow without
// bound, even if the venue sends something new in every message.
import type { DriftFinding } from './drift-finding.ts';
import { OwnSchemas } from './own-schemas.ts';
import type { PublishedApi, PublishedFeed, SeenAnswer } from './published-schemas.ts';
import type { WireProfile } from '../profiles/wire-profile.ts';
import { describeValue } from '../wire/wire-fault.ts';
import { parseBody } from '../wire/json-record.ts';

/** The schemas for the comparison: the venue's published schemas, or ours. */
export type SchemaSource = 'published' | 'ours';

/** One difference, and its number of occurrences. */
export interface DriftRow extends DriftFinding {
  readonly beside: SchemaSource;
  readonly where: string;
  readonly count: number;
}

/** The differences found, and counts of the compared data. */
export interface DriftReport {
  readonly answers: number;
  readonly messages: number;
  readonly dropped: number;
  readonly rows: readonly DriftRow[];
}

const ROWS_MAX = 2000;

export interface DriftOptions {
  readonly profile: WireProfile;
  /** Without published schemas, data is compared with our own schemas only. */
  readonly api?: PublishedApi;
  readonly feed?: PublishedFeed;
}

/** Compares data with the available schemas, and counts the differences. */
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

  answer(answer: SeenAnswer): void {
    const { api } = this.#options;
    this.#answers += 1;
    const { method, path, status } = answer;
    const where =
      this.#ours.endpointNameOf(answer) ?? api?.endpointNameOf(answer) ?? `${method} ${path.split('?')[0] ?? ''}`;
    const source = `${where} ${status}`;
    this.#countFindings('ours', source, this.#ours.compareAnswer(answer));
    if (api !== undefined) this.#countFindings('published', source, api.compareAnswer(answer));
  }

  message(text: string): void {
    const { feed } = this.#options;
    this.#messages += 1;
    const message = parseBody(text);
    const where = `message ${typeOf(message)}`;
    this.#countFindings('ours', where, this.#ours.compareMessage(message));
    if (feed !== undefined) this.#countFindings('published', where, feed.compareMessage(message));
  }

  #countFindings(beside: SchemaSource, where: string, findings: readonly DriftFinding[]): void {
    for (const finding of findings) {
      const key = [beside, where, finding.kind, finding.path].join('\n');
      const known = this.#rows.get(key);
      if (known !== undefined) this.#rows.set(key, { ...known, count: known.count + 1 });
      else if (this.#rows.size >= ROWS_MAX) this.#dropped += 1;
      else this.#rows.set(key, { ...finding, beside, where, count: 1 });
    }
  }

  /** The counts so far. Rows are sorted by schema source, endpoint or message, kind and path. */
  currentReport(): DriftReport {
    const rows = [...this.#rows.values()].sort((a, b) => orderOf(a).localeCompare(orderOf(b)));
    return { answers: this.#answers, messages: this.#messages, dropped: this.#dropped, rows };
  }
}

const orderOf = ({ beside, where, kind, path }: DriftRow): string => [beside, where, kind, path].join('\n');

const typeOf = (message: unknown): string =>
  typeof message === 'object' && message !== null && 'type' in message && typeof message.type === 'string'
    ? message.type
    : describeValue(message);
