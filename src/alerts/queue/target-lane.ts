// The waiting alerts of one target (a receiver such as a chat), and the limits on messages. Must never hold back a
// critical alert for quiet hours.
import type { QuietHours, Severity } from '../../config/alerts-config.ts';
import { Backoff } from '../../transport/backoff.ts';
import { type AlertRecord, rankOfSeverity } from '../record/alert-record.ts';
import { isQuiet } from './quiet-hours.ts';

/** Least time between two messages to a target. Milliseconds. */
export const PAUSE_MS = 1000;
/** Maximum number of messages within `WINDOW_MS`. Critical alerts have a limit of their own, of the same size. */
export const MESSAGES_MAX = 20;
export const WINDOW_MS = 600_000;
/** Wait after the first failure. Milliseconds. */
export const RETRY_FIRST_MS = 5000;
/** Longest wait between two attempts. Milliseconds. */
export const RETRY_CAP_MS = 600_000;
/** Longest wait that a receiver may ask for. Milliseconds. */
export const RETRY_AFTER_MS_MAX = 3_600_000;

/** The rules of a target. */
export interface TargetPolicy {
  readonly name: string;
  readonly severity: Severity;
  readonly quiet: QuietHours | null;
}

/** A record that waits. */
export interface WaitingRecord {
  readonly record: AlertRecord;
  readonly atMs: number;
}

interface RecordClass {
  /** Times of the messages within the window. */
  sentAtMs: number[];
  /** Set when a record had to wait. All waiting records then go as one digest. */
  isHeld: boolean;
}

/** The waiting records of one target. */
export class TargetLane {
  readonly policy: TargetPolicy;
  /** The oldest comes first. */
  readonly #waiting = new Map<string, WaitingRecord>();
  readonly #critical: RecordClass = { sentAtMs: [], isHeld: false };
  readonly #others: RecordClass = { sentAtMs: [], isHeld: false };
  readonly #backoff: Backoff;
  #inFlight: ReadonlySet<string> = new Set();
  #notBeforeMs = 0;

  constructor(policy: TargetPolicy, random: () => number) {
    this.policy = policy;
    this.#backoff = new Backoff({ firstMs: RETRY_FIRST_MS, capMs: RETRY_CAP_MS, jitter: 'equal' }, random);
  }

  get size(): number {
    return this.#waiting.size;
  }

  acceptsSeverity(severity: Severity): boolean {
    return rankOfSeverity(severity) >= rankOfSeverity(this.policy.severity);
  }

  addRecord(record: AlertRecord, atMs: number): void {
    this.#waiting.set(record.id, { record, atMs });
  }

  /** Restores a record of an earlier process. Such records go out as one digest; critical ones go one by one. */
  restoreRecord(record: AlertRecord, atMs: number): void {
    this.addRecord(record, atMs);
    if (record.severity !== 'critical') this.#others.isHeld = true;
  }

  hasRecord(id: string): boolean {
    return this.#waiting.has(id);
  }

  isInFlight(id: string): boolean {
    return this.#inFlight.has(id);
  }

  removeRecord(id: string): void {
    this.#waiting.delete(id);
  }

  /** Records being sent are left out. */
  recordsBefore(atMs: number): string[] {
    return [...this.#waiting].flatMap(([id, waiting]) => (waiting.atMs < atMs && !this.#inFlight.has(id) ? [id] : []));
  }

  /** Returns the ids of the records that wait for more than the end of quiet hours. */
  dueRecords(nowMs: number): string[] {
    const isQuietNow = isQuiet(this.policy.quiet, nowMs);
    return [...this.#waiting].flatMap(([id, { record }]) => (isQuietNow && record.severity !== 'critical' ? [] : [id]));
  }

  /** Returns the records of the next message, and counts them as in flight. Empty when nothing may be sent. */
  takeBatch(nowMs: number): readonly AlertRecord[] {
    // A clock that was set back must not silence the target for long.
    if (this.#notBeforeMs - nowMs > RETRY_AFTER_MS_MAX) this.#notBeforeMs = nowMs;
    if (this.#inFlight.size > 0 || this.#waiting.size === 0 || nowMs < this.#notBeforeMs) return [];
    const batch = this.#batchOf(this.#critical, nowMs) ?? this.#batchOf(this.#others, nowMs) ?? [];
    this.#inFlight = new Set(batch.map(({ id }) => id));
    return batch;
  }

  #batchOf(kind: RecordClass, nowMs: number): readonly AlertRecord[] | null {
    const isCritical = kind === this.#critical;
    const records = [...this.#waiting.values()]
      .map(({ record }) => record)
      .filter(({ severity }) => (severity === 'critical') === isCritical);
    const [first] = records;
    if (first === undefined) return null;
    kind.sentAtMs = kind.sentAtMs.filter((at) => at <= nowMs && nowMs - at < WINDOW_MS);
    const mustWait = kind.sentAtMs.length >= MESSAGES_MAX || (!isCritical && isQuiet(this.policy.quiet, nowMs));
    if (mustWait) kind.isHeld = true;
    if (mustWait) return null;
    return kind.isHeld ? records : [first];
  }

  /** The message in flight was accepted. Returns the ids of its records. */
  onSent(nowMs: number): readonly string[] {
    const ids = [...this.#inFlight];
    const isCritical = ids.some((id) => this.#waiting.get(id)?.record.severity === 'critical');
    const kind = isCritical ? this.#critical : this.#others;
    kind.sentAtMs.push(nowMs);
    kind.isHeld = false;
    this.#backoff.recordSuccess();
    this.#endFlight(nowMs + PAUSE_MS);
    return ids;
  }

  /** The message in flight can never be accepted. Returns the ids of its records. */
  onRefused(nowMs: number): readonly string[] {
    const ids = [...this.#inFlight];
    this.#endFlight(nowMs + PAUSE_MS);
    return ids;
  }

  /**
   * The message in flight failed. The wait that the receiver asks for may lengthen ours, never shorten it: one that asks
   * for 0 would get a message a second.
   * @param afterMs the wait that the receiver asked for, or `null`.
   */
  onFailed(nowMs: number, afterMs: number | null): void {
    const waitMs = this.#backoff.nextDelayMs();
    this.#endFlight(nowMs + Math.max(waitMs, Math.min(afterMs ?? 0, RETRY_AFTER_MS_MAX)));
  }

  #endFlight(notBeforeMs: number): void {
    this.#inFlight = new Set();
    this.#notBeforeMs = notBeforeMs;
  }
}
