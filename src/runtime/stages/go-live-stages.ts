// Decides how far towards full size a bot may go. Each go-live stage requires the stages before it, and a refusal names
// what is missing. Pure. Must never offer a way around a stage, even if it seems unnecessary.

/** The stages, first to last. Only the last two trade with real money. */
export const GO_LIVE_STAGES = ['doctor', 'replay', 'paper', 'demo', 'smallest', 'full'] as const;
export type GoLiveStage = (typeof GO_LIVE_STAGES)[number];

/** The saved outcome of one session, replay or run of the doctor. */
export interface StageStep {
  readonly rung: GoLiveStage;
  /** End of the step. Milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** The venue's environment; `null` without one. */
  readonly world: string | null;
  /** Hash of the strategies' code. A changed strategy must pass every stage again, except the doctor. */
  readonly strategies: string;
  /** Hash of the rest of the config, without keys. */
  readonly config: string;
  readonly isGood: boolean;
  readonly elapsedMs: number;
  readonly words: string;
}

/** A session about to start: its stage and what it runs. */
export interface StageRequest {
  readonly rung: GoLiveStage;
  readonly world: string;
  readonly strategies: string;
  readonly nowMs: number;
}

/** The decision. A refusal names the missing stage, the reason, and the remedy. */
export type StageVerdict =
  | { readonly isAllowed: true }
  | { readonly isAllowed: false; readonly rung: GoLiveStage; readonly reason: string; readonly remedy: string };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Least time that one session of each stage must have run without trouble. */
const DURATION_MS_MIN: Readonly<Record<'paper' | 'demo', number>> = { paper: HOUR_MS, demo: HOUR_MS };

/** Decides from the past steps. */
export function judgeStage(steps: readonly StageStep[], request: StageRequest): StageVerdict {
  for (const rung of GO_LIVE_STAGES.slice(0, GO_LIVE_STAGES.indexOf(request.rung))) {
    const missing = missingOnStage(rung, steps, request);
    if (missing !== null) return { isAllowed: false, rung, ...missing };
  }
  return { isAllowed: true };
}

interface Missing {
  readonly reason: string;
  readonly remedy: string;
}

/** Returns what is missing on one stage, or `null`. */
export function missingOnStage(rung: GoLiveStage, steps: readonly StageStep[], request: StageRequest): Missing | null {
  switch (rung) {
    case 'doctor':
      return missingDoctor(steps, request);
    case 'replay':
      return missingReplay(steps, request);
    case 'paper':
    case 'demo':
      return missingSession(rung, steps, request);
    case 'smallest':
      return missingSmallest(steps, request);
    case 'full':
      return null;
  }
}

function missingDoctor(steps: readonly StageStep[], { world, nowMs }: StageRequest): Missing | null {
  const remedy = 'presage doctor with this config';
  const last = steps.findLast((step) => step.rung === 'doctor' && step.world === world);
  if (last === undefined) return { reason: `presage doctor has not checked ${world} yet`, remedy };
  if (!last.isGood) return { reason: `the doctor last found something wrong: ${last.words}`, remedy };
  if (nowMs - last.atMs <= DAY_MS) return null;
  return { reason: `the doctor last checked ${hoursText(nowMs - last.atMs)} ago, more than a day`, remedy };
}

function missingReplay(steps: readonly StageStep[], request: StageRequest): Missing | null {
  const remedy = 'presage ladder with this config and --replay FOLDER, a journal of these strategies';
  const last = lastOf('replay', steps, request);
  if (last === undefined) return { reason: 'no journal of these strategies was replayed', remedy };
  return last.isGood ? null : { reason: `a journal of these strategies did not replay: ${last.words}`, remedy };
}

function missingSession(rung: 'paper' | 'demo', steps: readonly StageStep[], request: StageRequest): Missing | null {
  const durationMsMin = DURATION_MS_MIN[rung];
  const how = rung === 'paper' ? 'presage paper' : 'presage run in the demo environment';
  const remedy = `${how} for ${hoursText(durationMsMin)} with these strategies, without an alarm, until it stops reconciled`;
  const good = goodSince(rung, steps, request);
  if (good.some(({ elapsedMs }) => elapsedMs >= durationMsMin)) return null;
  const last = lastOf(rung, steps, request);
  if (last !== undefined && !last.isGood)
    return { reason: `the last session on ${rung} went badly: ${last.words}`, remedy };
  const longest = Math.max(0, ...good.map(({ elapsedMs }) => elapsedMs));
  const reason = longest === 0 ? `there was none on ${rung}` : `the longest on ${rung} took ${hoursText(longest)}`;
  return {
    reason: `these strategies have no session of ${hoursText(durationMsMin)} that went well: ${reason}`,
    remedy,
  };
}

function missingSmallest(steps: readonly StageStep[], request: StageRequest): Missing | null {
  const remedy =
    'continue with orderQtyMax: 1 and accountCostMax: 10 at most, until it has gone well for a day in total';
  const done = goodSince('smallest', steps, request).reduce((sum, { elapsedMs }) => sum + elapsedMs, 0);
  if (done >= DAY_MS) return null;
  const last = lastOf('smallest', steps, request);
  const after = last !== undefined && !last.isGood ? `, since the last one went badly: ${last.words}` : '';
  return { reason: `${hoursText(done)} of a day at the smallest size went well${after}`, remedy };
}

const isOf =
  (rung: GoLiveStage, { strategies }: StageRequest): ((step: StageStep) => boolean) =>
  (step) =>
    step.rung === rung && step.strategies === strategies;

const lastOf = (rung: GoLiveStage, steps: readonly StageStep[], request: StageRequest): StageStep | undefined =>
  steps.findLast(isOf(rung, request));

/** Returns the steps of a stage since the last failed step. */
function goodSince(rung: GoLiveStage, steps: readonly StageStep[], request: StageRequest): readonly StageStep[] {
  const own = steps.filter(isOf(rung, request));
  return own.slice(own.findLastIndex(({ isGood }) => !isGood) + 1);
}

/** Formats a duration: `1.5 h`, `20 min`. */
function hoursText(durationMs: number): string {
  if (durationMs < HOUR_MS) return `${Math.floor(durationMs / 60_000)} min`;
  const tenths = Math.floor((durationMs * 10) / HOUR_MS);
  return tenths % 10 === 0 ? `${tenths / 10} h` : `${Math.floor(tenths / 10)}.${tenths % 10} h`;
}
