// The queue of alerts: counts repeated alerts, reminds, and chooses the next message for each target. Reads no clock
// and writes no file itself. Must never hold more than `RECORDS_MAX` records.
import { type AlertAct, type AlertDraft, type AlertRecord, rankOfSeverity } from '../record/alert-record.ts';
import { countedNoun } from '../../report/text/figure-text.ts';
import { digestOf } from './alert-digest.ts';
import { Incidents } from './alert-incidents.ts';
import { type Incident, type QueueChange, type QueueState, changesOf } from './queue-changes.ts';
import { TargetLane, type TargetPolicy } from './target-lane.ts';

/** Maximum number of records that wait. */
export const RECORDS_MAX = 500;
/** A record older than this is given up. Milliseconds. */
export const GIVE_UP_AFTER_MS = 24 * 3_600_000;

/** Options of a queue. */
export interface AlertQueueOptions {
  readonly bot: string;
  readonly link: string | null;
  readonly targets: readonly TargetPolicy[];
  /** State of an earlier process. */
  readonly state: QueueState;
  readonly makeId: () => string;
  /** Returns a number from 0 up to but not including 1. */
  readonly random: () => number;
  /** Receives every change in sequence. The changes add up to the queue's state. */
  readonly onChange: (change: QueueChange) => void;
}

/** A message to send now. */
export interface AlertDelivery {
  readonly target: string;
  /** The record, or a digest of several. */
  readonly message: AlertRecord;
  readonly records: number;
}

/** The outcome of a message. */
export type DeliveryOutcome =
  | { readonly type: 'sent' }
  /** The message may be accepted later. `afterMs`: the wait that the receiver asked for. */
  | { readonly type: 'failed'; readonly afterMs: number | null }
  /** The message will never be accepted. */
  | { readonly type: 'refused' };

type EndWords = Pick<Extract<AlertAct, { type: 'over' }>, 'code' | 'happened'>;

interface HeldRecord {
  readonly record: AlertRecord;
  readonly atMs: number;
  readonly targets: Set<string>;
}

/** The alerts of one process. */
export class AlertQueue {
  readonly #options: AlertQueueOptions;
  readonly #lanes = new Map<string, TargetLane>();
  readonly #incidents: Incidents;
  /** The oldest comes first. Added for at least one target; removed when no target waits for the record. */
  readonly #held = new Map<string, HeldRecord>();

  constructor(options: AlertQueueOptions) {
    this.#options = options;
    for (const policy of options.targets) this.#lanes.set(policy.name, new TargetLane(policy, options.random));
    this.#incidents = new Incidents(options.state.incidents, (key) => options.onChange({ type: 'closed', key }));
    for (const { record, atMs, targets } of options.state.pending.values()) this.#restore(record, atMs, targets);
  }

  /** Targets that the config no longer has are dropped. */
  #restore(record: AlertRecord, atMs: number, targets: ReadonlySet<string>): void {
    const known = [...targets].filter((name) => this.#lanes.has(name));
    if (known.length > 0) this.#held.set(record.id, { record, atMs, targets: new Set(known) });
    for (const name of known) this.#lanes.get(name)?.restoreRecord(record, atMs);
    for (const target of targets) {
      if (this.#lanes.has(target)) continue;
      this.#options.onChange({ type: 'settled', id: record.id, target, outcome: 'dropped' });
    }
  }

  get size(): number {
    return this.#held.size;
  }

  /** Number of records that wait for more than the end of quiet hours. */
  countDue(nowMs: number): number {
    return new Set([...this.#lanes.values()].flatMap((lane) => lane.dueRecords(nowMs))).size;
  }

  compactChanges(): QueueChange[] {
    return changesOf({ incidents: this.#incidents.all(), pending: this.#held });
  }

  /** Saves what was counted since the last reports, for the next process. */
  saveCounts(): void {
    for (const incident of this.#incidents.all().values())
      if (incident.count !== incident.reportedCount) this.#options.onChange({ type: 'incident', incident });
  }

  submitAct(act: AlertAct, nowMs: number): void {
    switch (act.type) {
      case 'firing':
        return this.#fire(act.draft, nowMs);
      case 'over':
        return this.#end(this.#keyOf(act.code, act.scope), act, nowMs);
      case 'over-except':
        return this.#endExcept(act, nowMs);
    }
  }

  #keyOf = (code: string, scope: string): string => `${this.#options.bot}/${code}/${scope}`;

  #fire(draft: AlertDraft, nowMs: number): void {
    const due = this.#incidents.countFiring(this.#keyOf(draft.code, draft.scope), draft, nowMs);
    if (due) this.#report(due.incident, due.draft, nowMs);
  }

  #report(incident: Incident, { scope, ...draft }: AlertDraft, nowMs: number): void {
    this.#options.onChange({ type: 'incident', incident });
    // Only other targets hear of a target that does not accept alerts.
    const except = draft.code === UNDELIVERED ? scope : null;
    this.#enqueue({ ...this.#recordBase(incident, nowMs), ...draft, state: 'firing' }, nowMs, except);
  }

  #recordBase(
    { key, count }: Incident,
    nowMs: number,
  ): Pick<AlertRecord, 'id' | 'key' | 'bot' | 'at' | 'link' | 'count'> {
    const { bot, link, makeId } = this.#options;
    return { id: makeId(), key, bot, at: new Date(nowMs).toISOString(), link, count };
  }

  /** The end goes to every target that accepts the condition's severity. */
  #end(key: string, { code, happened }: EndWords, nowMs: number): void {
    const incident = this.#incidents.endCondition(key);
    if (incident === null) return;
    this.#options.onChange({ type: 'closed', key: incident.key });
    const { severity, title, firstMs } = incident;
    const did = `It ended ${durationText(nowMs - firstMs)} after the first message.`;
    const words = { severity, code, title, happened, did, do: '', figures: { lastedMs: nowMs - firstMs } };
    this.#enqueue({ ...this.#recordBase(incident, nowMs), ...words, state: 'over' }, nowMs);
  }

  #endExcept(act: Extract<AlertAct, { type: 'over-except' }>, nowMs: number): void {
    const kept = new Set(act.scopes.map((scope) => this.#keyOf(act.code, scope)));
    const ended = [...this.#incidents.all().keys()].filter(
      (key) => key.startsWith(this.#keyOf(act.code, '')) && !kept.has(key),
    );
    for (const key of ended) this.#end(key, act, nowMs);
  }

  #enqueue(record: AlertRecord, nowMs: number, except: string | null = null): void {
    const lanes = [...this.#lanes.values()].filter(
      (lane) => lane.policy.name !== except && lane.acceptsSeverity(record.severity),
    );
    if (lanes.length === 0) return;
    if (this.#held.size >= RECORDS_MAX) this.#dropOne();
    const targets = lanes.map(({ policy }) => policy.name);
    this.#held.set(record.id, { record, atMs: nowMs, targets: new Set(targets) });
    for (const lane of lanes) lane.addRecord(record, nowMs);
    this.#options.onChange({ type: 'queued', record, targets, atMs: nowMs });
  }

  /** Drops the oldest record of the lowest severity. Records being sent are kept. */
  #dropOne(): void {
    let least: AlertRecord | null = null;
    for (const { record } of this.#held.values()) {
      if (this.#isInFlight(record.id)) continue;
      if (least === null || rankOfSeverity(record.severity) < rankOfSeverity(least.severity)) least = record;
    }
    if (least === null) return;
    for (const target of this.#held.get(least.id)?.targets ?? []) this.#settle(least.id, target, 'dropped');
  }

  #isInFlight(id: string): boolean {
    return [...this.#lanes.values()].some((lane) => lane.isInFlight(id));
  }

  #settle(id: string, target: string, outcome: Extract<QueueChange, { type: 'settled' }>['outcome']): void {
    this.#lanes.get(target)?.removeRecord(id);
    const held = this.#held.get(id);
    held?.targets.delete(target);
    if (held?.targets.size === 0) this.#held.delete(id);
    this.#options.onChange({ type: 'settled', id, target, outcome });
  }

  /** Returns at most one message for each target. Each message needs an outcome later. */
  takeDeliveries(nowMs: number): AlertDelivery[] {
    for (const { incident, draft } of this.#incidents.takeReminders(nowMs)) this.#report(incident, draft, nowMs);
    for (const lane of this.#lanes.values()) this.#giveUpOld(lane, nowMs);
    return [...this.#lanes.values()].flatMap((lane) => {
      const batch = lane.takeBatch(nowMs);
      const message = digestOf(batch);
      return message === null ? [] : [{ target: lane.policy.name, message, records: batch.length }];
    });
  }

  #giveUpOld(lane: TargetLane, nowMs: number): void {
    const target = lane.policy.name;
    const old = lane.recordsBefore(nowMs - GIVE_UP_AFTER_MS);
    if (old.length === 0) return;
    for (const id of old) this.#settle(id, target, 'given-up');
    const happened = `${countedNoun(old.length, 'alert')} could not be delivered to ${target} within 24 hours.`;
    this.#fire(undeliveredDraft({ bot: this.#options.bot, target, happened, records: old.length }), nowMs);
  }

  onOutcome(target: string, outcome: DeliveryOutcome, nowMs: number): void {
    const lane = this.#lanes.get(target);
    if (!lane) return;
    if (outcome.type === 'failed') return lane.onFailed(nowMs, outcome.afterMs);
    const isSent = outcome.type === 'sent';
    const ids = isSent ? lane.onSent(nowMs) : lane.onRefused(nowMs);
    for (const id of ids) if (lane.hasRecord(id)) this.#settle(id, target, isSent ? 'sent' : 'refused');
    if (isSent) return;
    const happened = `The receiver of ${target} refused ${countedNoun(ids.length, 'alert')} for good.`;
    this.#fire(undeliveredDraft({ bot: this.#options.bot, target, happened, records: ids.length }), nowMs);
  }
}

/** Code of the alert about a target that does not accept alerts. */
const UNDELIVERED = 'alerts-given-up';

interface Undelivered {
  readonly bot: string;
  readonly target: string;
  readonly happened: string;
  readonly records: number;
}

const undeliveredDraft = ({ bot, target, happened, records }: Undelivered): AlertDraft => ({
  severity: 'warning',
  code: UNDELIVERED,
  scope: target,
  title: `${bot}: the target ${target} does not accept alerts`,
  happened,
  did: `${records === 1 ? 'It was' : 'They were'} given up. Later alerts are still tried.`,
  do: `Look at the log, mend the target, and run \`presage alerts test --config … --target ${target}\`.`,
  figures: { target, records },
});

function durationText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return `${Math.round(ms / 1000)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
