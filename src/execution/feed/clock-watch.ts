// Compares our clock with the venue's, and the feed's lateness with a limit. Must never repeat the alarm of a lasting
// condition at every check.
import type { AlarmCode } from '../../domain/alarm.ts';
import { must } from '../../base/assert.ts';
import type { ClockLeapt } from '../../domain/event.ts';
import type { Micros } from '../../domain/units.ts';
import type { State } from '../../state/state.ts';
import type { Observer } from '../engine-notice.ts';
import { AlarmReminder } from './alarm-reminder.ts';

/** Allowed differences between our clock and the venue's: for an alarm, and for orders. Milliseconds. */
export interface ClockLimits {
  readonly offsetWarnMs: number;
  readonly offsetMsMax: number;
}

/** A feed later than this raises an alarm. */
const LAG_WARN_MS = 1000;
/** An alarm ends when its figure falls below this share of the limit. */
const END_SHARE = 0.5;
/** Time for which the greatest lateness of our own timers is remembered. */
const LOOP_MEMORY_MS = 10_000;

/** Watches clocks and lateness. */
export class ClockWatch {
  readonly #state: State;
  readonly #limits: ClockLimits;
  readonly #observe: Observer;
  readonly #reminders = {
    'clock-offset': new AlarmReminder(),
    'feed-lag': new AlarmReminder(),
    leap: new AlarmReminder(),
  };
  /** The lead of the machine's clock over ours; `null` when there is none. */
  #leap: ClockLeapt | null = null;
  #steps = 0;
  #loopLate = { ms: 0, at: 0 as Micros };

  constructor(state: State, limits: ClockLimits, observe: Observer) {
    this.#state = state;
    this.#limits = limits;
    this.#observe = observe;
  }

  get loopLateMs(): number {
    return this.#loopLate.ms;
  }

  /**
   * Checks the clocks.
   * @param lateMs Lateness of this call.
   */
  checkClocks(now: Micros, lateMs: number): void {
    const isOld = now - this.#loopLate.at > LOOP_MEMORY_MS * 1000;
    if (isOld || lateMs > this.#loopLate.ms) this.#loopLate = { ms: lateMs, at: now };
    this.#checkLeap(now);
    this.#checkOffset(now);
    this.#checkLag(now);
  }

  /** True when a check now could raise an alarm, or end one that was raised. */
  hasFinding(now: Micros): boolean {
    if (this.#state.clock.stepCount !== this.#steps || this.#leap !== null) return true;
    const offset = { found: this.#provenMs(now), limit: this.#limits.offsetWarnMs };
    if (isFinding(this.#reminders['clock-offset'], now, offset)) return true;
    return isFinding(this.#reminders['feed-lag'], now, { found: this.#lagMs(), limit: LAG_WARN_MS });
  }

  /** Handles a leap of the machine's clock ahead of ours, the verdict on the leap, or its end. */
  onClockLeapt(event: ClockLeapt): void {
    this.#leap = event.verdict === 'over' ? null : event;
    this.#reminders.leap.endCondition();
  }

  /** Handles a forward leap of our own clock: it was set, or the machine slept. */
  onClockStepped(at: Micros, by: number): void {
    this.#leap = null;
    const byMs = Math.round(by / 1000);
    const text = `our clock leapt forward by ${byMs} ms: it was set, or the machine slept`;
    this.#raiseAlarm('clock-step', at, { text, figures: { byMs } });
  }

  #checkLeap(at: Micros): void {
    if (this.#leap?.verdict !== 'ours' || !this.#reminders.leap.isDue(at)) return;
    const aheadMs = Math.round(this.#leap.by / 1000);
    const text = `the machine’s clock is ${aheadMs} ms ahead of the venue’s, and ours does not follow it: set it right`;
    this.#raiseAlarm('clock-step', at, { text, figures: { aheadMs } });
  }

  #checkOffset(at: Micros): void {
    const { stepCount } = this.#state.clock;
    if (stepCount !== this.#steps) {
      const text = 'the venue’s answers contradict what was known of its clock: it was set, or ours was';
      this.#raiseAlarm('clock-step', at, { text, figures: { steps: stepCount } });
    }
    this.#steps = stepCount;
    const provenMs = this.#provenMs(at);
    const { offsetWarnMs } = this.#limits;
    if (!this.#isDue('clock-offset', at, { found: provenMs, limit: offsetWarnMs })) return;
    this.#raiseAlarm('clock-offset', at, {
      text: `${this.#offsetText(at)}; offsetWarn is ${offsetWarnMs} ms`,
      figures: { provenMs, offsetWarnMs },
    });
  }

  #checkLag(at: Micros): void {
    const lagMs = this.#lagMs();
    if (!this.#isDue('feed-lag', at, { found: lagMs, limit: LAG_WARN_MS })) return;
    const loopLateMs = Math.round(this.loopLateMs);
    const cause = loopLateMs * 2 > lagMs ? 'we are slow to read it' : 'it comes late from the venue';
    const text = `the feed is ${lagMs} ms late: ${cause} (our own timers are ${loopLateMs} ms late)`;
    this.#raiseAlarm('feed-lag', at, { text, figures: { lagMs, loopLateMs } });
  }

  #lagMs(): number {
    return Math.round(this.#state.feedLag() / 1000);
  }

  #isDue(code: 'clock-offset' | 'feed-lag', at: Micros, figure: Figure): boolean {
    const reminder = this.#reminders[code];
    if (isOver(figure)) reminder.endCondition();
    return figure.found > figure.limit && reminder.isDue(at);
  }

  #raiseAlarm(code: AlarmCode, at: Micros, { text, figures }: { text: string; figures: Record<string, number> }): void {
    this.#observe({ type: 'alarm', code, at, text, figures });
  }

  /** The proven difference of the clocks. It builds no text, because it is called often. */
  #provenMs(at: Micros): number {
    const known = this.#state.clock.estimate(at);
    return known === null ? 0 : Math.max(0, Math.floor((Math.abs(known.offset) - known.bound) / 1000));
  }

  #offsetText(at: Micros): string {
    const { offset } = must(this.#state.clock.estimate(at), 'the offset that was found');
    const delta = `${Math.abs(Math.round(offset / 1000))} ms ${offset > 0 ? 'ahead of' : 'behind'} the venue’s`;
    return `our clock is ${delta}: ours shows ${timeText(at)}, the venue’s ${timeText(at - offset)}`;
  }

  /** The reason why the clocks allow no order; `null` when they do. */
  blockingFault(): string | null {
    const { now } = this.#state;
    const { offsetMsMax } = this.#limits;
    if (this.#leap?.verdict === 'unknown')
      return `the machine’s clock leapt ahead by ${Math.round(this.#leap.by / 1000)} ms, and no answer has given the venue’s time since`;
    if (this.#provenMs(now) <= offsetMsMax) return null;
    return `${this.#offsetText(now)}; offsetMax is ${offsetMsMax} ms`;
  }
}

/** A measured figure, and the limit above which its alarm is raised. Milliseconds. */
interface Figure {
  readonly found: number;
  readonly limit: number;
}

const isOver = ({ found, limit }: Figure): boolean => found < limit * END_SHARE;

/** True when a check would raise the alarm of the figure, or end it. */
const isFinding = (reminder: AlarmReminder, now: Micros, figure: Figure): boolean =>
  isOver(figure) ? reminder.isRaised : figure.found > figure.limit && reminder.wouldBeDue(now);

const DAY_SECONDS = 86_400;
const twoDigits = (value: number): string => String(value).padStart(2, '0');

function timeText(at: number): string {
  const seconds = Math.floor(at / 1_000_000) % DAY_SECONDS;
  const milliseconds = String(Math.floor((at % 1_000_000) / 1000)).padStart(3, '0');
  return `${twoDigits(Math.floor(seconds / 3600))}:${twoDigits(Math.floor(seconds / 60) % 60)}:${twoDigits(seconds % 60)}.${milliseconds}Z`;
}
