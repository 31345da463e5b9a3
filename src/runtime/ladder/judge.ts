// How far towards full size a bot may go: each rung of the ladder stands on those below it, and what is missing is said. Pure.
// Must never have a way round: whoever knows better climbs the rung.

/** From the ground up. What comes first costs nothing; what comes last may cost everything. */
export const RUNGS = ['doctor', 'replay', 'paper', 'demo', 'smallest', 'full'] as const;
export type Rung = (typeof RUNGS)[number];

/** Something that was done on a rung, as it is kept. */
export interface Step {
  readonly rung: Rung;
  /** When it ended. Milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** Which of the venue's worlds it was in; `null` where it was in none. */
  readonly world: string | null;
  /** What the strategies' files were: another file has everything before it. */
  readonly strategies: string;
  /** What the rest of the config was, without keys. */
  readonly config: string;
  readonly isGood: boolean;
  readonly elapsedMs: number;
  /** What there is to say of it. */
  readonly words: string;
}

/** What is asked for. */
export interface Asked {
  readonly rung: Rung;
  readonly world: string;
  readonly strategies: string;
  readonly nowMs: number;
}

/** Whether it may be; if not, which rung is missing, why, and what to do. */
export type Verdict =
  | { readonly isAllowed: true }
  | { readonly isAllowed: false; readonly rung: Rung; readonly reason: string; readonly remedy: string };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long each rung must have gone well, in one piece or in all. */
const LASTS_MS: Readonly<Record<'paper' | 'demo', number>> = { paper: HOUR_MS, demo: HOUR_MS };

/** What the steps of the past allow. */
export function judge(steps: readonly Step[], asked: Asked): Verdict {
  for (const rung of RUNGS.slice(0, RUNGS.indexOf(asked.rung))) {
    const missing = missingOn(rung, steps, asked);
    if (missing !== null) return { isAllowed: false, rung, ...missing };
  }
  return { isAllowed: true };
}

interface Missing {
  readonly reason: string;
  readonly remedy: string;
}

/** What is missing on one rung; `null` when nothing is. */
export function missingOn(rung: Rung, steps: readonly Step[], asked: Asked): Missing | null {
  switch (rung) {
    case 'doctor':
      return missingDoctor(steps, asked);
    case 'replay':
      return missingReplay(steps, asked);
    case 'paper':
    case 'demo':
      return missingSession(rung, steps, asked);
    case 'smallest':
      return missingDay(steps, asked);
    case 'full':
      return null;
  }
}

function missingDoctor(steps: readonly Step[], { world, nowMs }: Asked): Missing | null {
  const remedy = 'presage doctor with this config';
  const last = steps.findLast((step) => step.rung === 'doctor' && step.world === world);
  if (last === undefined) return { reason: `no doctor has looked at ${world}`, remedy };
  if (!last.isGood) return { reason: `the doctor last found something wrong: ${last.words}`, remedy };
  if (nowMs - last.atMs <= DAY_MS) return null;
  return { reason: `the doctor last looked ${hoursText(nowMs - last.atMs)} ago, which is more than a day`, remedy };
}

function missingReplay(steps: readonly Step[], asked: Asked): Missing | null {
  const remedy = 'presage ladder with this config and --replay FOLDER, a journal of these strategies';
  const last = lastOf('replay', steps, asked);
  if (last === undefined) return { reason: 'no journal of these strategies was replayed', remedy };
  return last.isGood ? null : { reason: `a journal of these strategies did not replay: ${last.words}`, remedy };
}

function missingSession(rung: 'paper' | 'demo', steps: readonly Step[], asked: Asked): Missing | null {
  const least = LASTS_MS[rung];
  const how = rung === 'paper' ? 'presage paper' : 'presage run in the demo world';
  const remedy = `${how} for ${hoursText(least)} with these strategies, without an alarm, to an end that is reconciled`;
  const good = goodSince(rung, steps, asked);
  if (good.some(({ elapsedMs }) => elapsedMs >= least)) return null;
  const last = lastOf(rung, steps, asked);
  if (last !== undefined && !last.isGood)
    return { reason: `the last session on ${rung} went badly: ${last.words}`, remedy };
  const longest = Math.max(0, ...good.map(({ elapsedMs }) => elapsedMs));
  const reason = longest === 0 ? `there was none on ${rung}` : `the longest on ${rung} was of ${hoursText(longest)}`;
  return { reason: `these strategies have no session of ${hoursText(least)} that went well: ${reason}`, remedy };
}

function missingDay(steps: readonly Step[], asked: Asked): Missing | null {
  const remedy = 'go on with orderQtyMax: 1 and accountCostMax: 10 at most, until it has gone well for a day in all';
  const done = goodSince('smallest', steps, asked).reduce((sum, { elapsedMs }) => sum + elapsedMs, 0);
  if (done >= DAY_MS) return null;
  const last = lastOf('smallest', steps, asked);
  const after = last !== undefined && !last.isGood ? `, since the last one went badly: ${last.words}` : '';
  return { reason: `${hoursText(done)} of a day at the smallest size went well${after}`, remedy };
}

const isOf =
  (rung: Rung, { strategies }: Asked): ((step: Step) => boolean) =>
  (step) =>
    step.rung === rung && step.strategies === strategies;

const lastOf = (rung: Rung, steps: readonly Step[], asked: Asked): Step | undefined =>
  steps.findLast(isOf(rung, asked));

/** What went well since something last went badly. */
function goodSince(rung: Rung, steps: readonly Step[], asked: Asked): readonly Step[] {
  const own = steps.filter(isOf(rung, asked));
  return own.slice(own.findLastIndex(({ isGood }) => !isGood) + 1);
}

/** A duration for a person: `1.5 h`, `20 min`. */
function hoursText(durationMs: number): string {
  if (durationMs < HOUR_MS) return `${Math.floor(durationMs / 60_000)} min`;
  const tenths = Math.floor((durationMs * 10) / HOUR_MS);
  return tenths % 10 === 0 ? `${tenths / 10} h` : `${Math.floor(tenths / 10)}.${tenths % 10} h`;
}
