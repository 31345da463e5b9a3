// Conditions that fire, such as a silent feed. Some firings are reported at once, others only count. Must never report
// a condition more often than its reminders allow, except for a higher severity.
import { type AlertDraft, rankOfSeverity, worseSeverity } from '../record/alert-record.ts';
import type { Incident } from './queue-changes.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Times of the reminders after the first report. Milliseconds. */
export const REMINDERS_MS: readonly number[] = [15 * MINUTE, HOUR, 6 * HOUR];
/** A condition that has not fired for this long begins again at its next firing. */
export const FORGOTTEN_AFTER_MS = 6 * HOUR;
/** Maximum number of conditions. The oldest is forgotten first. */
export const INCIDENTS_MAX = 500;

/** A due report of a condition. */
export interface DueReport {
  readonly incident: Incident;
  readonly draft: AlertDraft;
}

/** The conditions of one bot. */
export class Incidents {
  readonly #byKey = new Map<string, Incident>();
  /** Latest unreported firing of each condition. Added by a firing; removed by a report or the end. */
  readonly #unreported = new Map<string, AlertDraft>();
  readonly #onForgotten: (key: string) => void;

  /** @param onForgotten is called with the key of a condition dropped for lack of room. */
  constructor(known: ReadonlyMap<string, Incident>, onForgotten: (key: string) => void) {
    for (const [key, incident] of known) this.#byKey.set(key, incident);
    this.#onForgotten = onForgotten;
  }

  get size(): number {
    return this.#byKey.size;
  }

  all(): ReadonlyMap<string, Incident> {
    return this.#byKey;
  }

  /** Counts a firing. Returns the report that is due now, or `null`. */
  countFiring(key: string, draft: AlertDraft, nowMs: number): DueReport | null {
    const known = this.#byKey.get(key);
    if (known === undefined || nowMs - known.lastMs > FORGOTTEN_AFTER_MS) return this.#begin(key, draft, nowMs);
    const counted = { ...known, lastMs: nowMs, count: known.count + 1 };
    this.#byKey.set(key, counted);
    this.#unreported.set(key, draft);
    const isWorse = rankOfSeverity(draft.severity) > rankOfSeverity(known.severity);
    return isWorse || isReminderDue(counted, nowMs) ? this.#report(counted, draft, nowMs) : null;
  }

  #begin(key: string, draft: AlertDraft, nowMs: number): DueReport {
    this.#byKey.delete(key);
    const [oldest] = this.#byKey.keys();
    if (this.#byKey.size >= INCIDENTS_MAX && oldest !== undefined) {
      this.#remove(oldest);
      this.#onForgotten(oldest);
    }
    const { severity, title } = draft;
    const times = { firstMs: nowMs, lastMs: nowMs, reportedMs: nowMs };
    return this.#report({ key, ...times, count: 1, reportedCount: 0, severity, title }, draft, nowMs);
  }

  #report(incident: Incident, draft: AlertDraft, nowMs: number): DueReport {
    const { severity, title } = draft;
    const reported = {
      ...incident,
      reportedMs: nowMs,
      reportedCount: incident.count,
      severity: worseSeverity(severity, incident.severity),
      title,
    };
    this.#byKey.set(incident.key, reported);
    this.#unreported.delete(incident.key);
    return { incident: reported, draft };
  }

  /** Returns the due reports of conditions with unreported firings. */
  takeReminders(nowMs: number): DueReport[] {
    const due: DueReport[] = [];
    for (const [key, draft] of this.#unreported) {
      const incident = this.#byKey.get(key);
      if (incident && isReminderDue(incident, nowMs)) due.push(this.#report(incident, draft, nowMs));
    }
    return due;
  }

  endCondition(key: string): Incident | null {
    const known = this.#byKey.get(key) ?? null;
    this.#remove(key);
    return known;
  }

  #remove(key: string): void {
    this.#byKey.delete(key);
    this.#unreported.delete(key);
  }
}

/** Reminders come after 15 minutes, an hour, six hours, and every six hours. */
function isReminderDue({ firstMs, reportedMs }: Incident, nowMs: number): boolean {
  const last = REMINDERS_MS.at(-1) ?? HOUR;
  const sinceFirst = reportedMs - firstMs;
  const next = REMINDERS_MS.find((reminder) => reminder > sinceFirst) ?? sinceFirst + last;
  return nowMs - firstMs >= next;
}
