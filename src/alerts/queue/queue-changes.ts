// The saved changes of an alert queue, and the state that they add up to. Must never fail on a line that an earlier
// version or a torn write left.
import { z } from 'zod';
import { SEVERITIES } from '../../config/alerts-config.ts';
import { type AlertRecord, alertRecordSchema } from '../record/alert-record.ts';

const ms = z.number();

export const incidentSchema = z.strictObject({
  key: z.string(),
  /** Times of the first firing, the latest firing and the latest report. Milliseconds since the Unix epoch. */
  firstMs: ms,
  lastMs: ms,
  reportedMs: ms,
  /** Number of firings. `reportedCount`: the number at the latest report. */
  count: z.int(),
  reportedCount: z.int(),
  severity: z.enum(SEVERITIES),
  title: z.string(),
});

/** A condition that fires. */
export type Incident = z.output<typeof incidentSchema>;

export const queueChangeSchema = z.discriminatedUnion('type', [
  /** A condition was reported. */
  z.strictObject({ type: z.literal('incident'), incident: incidentSchema }),
  /** A condition is over, or was forgotten. */
  z.strictObject({ type: z.literal('closed'), key: z.string() }),
  /** A record waits for its targets. */
  z.strictObject({ type: z.literal('queued'), record: alertRecordSchema, targets: z.array(z.string()), atMs: ms }),
  /** A target is done with a record. */
  z.strictObject({
    type: z.literal('settled'),
    id: z.string(),
    target: z.string(),
    outcome: z.enum(['sent', 'refused', 'given-up', 'dropped']),
  }),
]);

/** One change. */
export type QueueChange = z.output<typeof queueChangeSchema>;

/** A record and the targets that wait for it. */
export interface PendingRecord {
  readonly record: AlertRecord;
  readonly atMs: number;
  readonly targets: ReadonlySet<string>;
}

/** The state that a queue restores. */
export interface QueueState {
  readonly incidents: ReadonlyMap<string, Incident>;
  readonly pending: ReadonlyMap<string, PendingRecord>;
}

/** Parses one saved line. Returns `null` for any other line. */
export function parseChange(line: string): QueueChange | null {
  try {
    return queueChangeSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

/** Returns the state after changes. */
export function stateAfter(changes: Iterable<QueueChange>): QueueState {
  const incidents = new Map<string, Incident>();
  const pending = new Map<string, PendingRecord & { readonly targets: Set<string> }>();
  for (const change of changes) {
    if (change.type === 'incident') incidents.set(change.incident.key, change.incident);
    else if (change.type === 'closed') incidents.delete(change.key);
    else if (change.type === 'queued') {
      const { record, atMs, targets } = change;
      pending.set(record.id, { record, atMs, targets: new Set(targets) });
    } else {
      const targets = pending.get(change.id)?.targets;
      targets?.delete(change.target);
      if (targets?.size === 0) pending.delete(change.id);
    }
  }
  return { incidents, pending };
}

/** Returns the fewest changes that add up to a state. */
export const changesOf = ({ incidents, pending }: QueueState): QueueChange[] => [
  ...[...incidents.values()].map((incident) => ({ type: 'incident' as const, incident })),
  ...[...pending.values()].map(({ record, atMs, targets }) => ({
    type: 'queued' as const,
    record,
    atMs,
    targets: [...targets],
  })),
];
