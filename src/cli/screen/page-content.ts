// The content of the terminal page: the latest snapshot, the alarms by code, and the latest events. Its size is
// bounded.
import type { AlarmCode } from '../../domain/alarm.ts';
import type { Micros } from '../../domain/units.ts';
import type { SessionSnapshot } from '../../report/account/session-snapshot.ts';
import type { Tone } from './page-line.ts';

/** The alarms of one code. */
export interface PageAlarm {
  readonly code: AlarmCode;
  readonly text: string;
  readonly at: Micros;
  readonly count: number;
}

/** An event of the session. */
export interface PageEvent {
  readonly at: Micros;
  readonly text: string;
  readonly tone: Tone;
}

/** The content of a page. */
export interface PageContent {
  readonly snapshot: SessionSnapshot;
  /** Newest first. */
  readonly alarms: readonly PageAlarm[];
  /** Oldest first. */
  readonly events: readonly PageEvent[];
  readonly console: string | null;
}

const EVENTS_MAX = 500;

/** Collects alarms and events for the page. */
export class PageLog {
  readonly #alarms = new Map<AlarmCode, PageAlarm>();
  readonly #events: PageEvent[] = [];

  addEvent(event: PageEvent): void {
    this.#events.push(event);
    if (this.#events.length > EVENTS_MAX) this.#events.shift();
  }

  addAlarm({ code, text, at }: Omit<PageAlarm, 'count'>): void {
    const count = (this.#alarms.get(code)?.count ?? 0) + 1;
    this.#alarms.delete(code);
    this.#alarms.set(code, { code, text, at, count });
  }

  get events(): readonly PageEvent[] {
    return this.#events;
  }

  /** Newest first. */
  alarms(): PageAlarm[] {
    return [...this.#alarms.values()].reverse();
  }
}
