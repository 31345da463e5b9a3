// The gate of the go-live stages, consulted before a session starts in one of the venue's environments. Must never let
// a session start while an earlier stage is missing. Must never record a bad session as good.
import type { BotConfig } from '../../config/bot-config.ts';
import { type Check, isHealthy, namesText } from '../../runtime/doctor/check-result.ts';
import { type GoLiveStage, type StageStep, judgeStage } from '../../runtime/stages/go-live-stages.ts';
import { configHash, stageOf } from '../../runtime/stages/stage-of-config.ts';
import { environmentOf } from '../../runtime/stages/venue-environment.ts';
import { appendStep, readSteps, stagesFolder } from '../../runtime/stages/stage-steps.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import type { SessionResult } from '../session/session-result.ts';
import { UsageError } from '../usage-error.ts';
import { knownProfile } from '../venue/known-profile.ts';

/** The go-live stage of a session, the venue's environment, and the folder of the saved steps. */
export interface StagePosition {
  readonly rung: GoLiveStage;
  readonly world: string;
  readonly folder: string;
}

/** A stage, and the hash of the strategies whose outcome is recorded. */
export interface RecordedStage extends StagePosition {
  readonly strategies: string;
}

/**
 * Returns the stage of a config's session. Returns `null` outside the venue's environments, without strategies, and
 * without a data folder.
 */
export function stagePositionOf(config: BotConfig): StagePosition | null {
  const profile = knownProfile(config.venue.profile);
  const rung = stageOf(config, profile);
  const world = environmentOf(config.venue, profile);
  if (rung === null || world === null || config.dataFolder === undefined) return null;
  return { rung, world, folder: stagesFolder(config.dataFolder) };
}

/**
 * Names a stage with its environment: `full in production`. The stage `demo` is named alone: it is an environment, too.
 */
export const stageText = (rung: GoLiveStage, world: string): string => (rung === world ? rung : `${rung} in ${world}`);

/**
 * Requires the stages before a session's own.
 * @throws {UsageError} when a stage is missing, with the reason and the next action.
 * @throws {StagesFileFault} when the saved steps cannot be read.
 */
export function requireEarlierStages({ rung, world, folder, strategies }: RecordedStage): void {
  const request = { rung, world, strategies, nowMs: Date.now() };
  const verdict = judgeStage(readSteps(fileStorage(folder)), request);
  if (verdict.isAllowed) return;
  throw new UsageError(
    `the ladder does not reach ${stageText(rung, world)} yet: ${verdict.rung}: ${verdict.reason}; next: ${verdict.remedy}`,
  );
}

type StepOutcome = Pick<StageStep, 'isGood' | 'elapsedMs' | 'words'>;

/**
 * Saves the outcome of a session, an examination or a replay as a step of its stage. The hash of its strategies is that
 * of the code that ran: their files may have changed meanwhile.
 */
export function recordStep(
  config: BotConfig,
  { rung, world, folder, strategies }: RecordedStage,
  outcome: StepOutcome,
): void {
  const storage = fileStorage(folder);
  appendStep(storage, { rung, atMs: Date.now(), world, strategies, config: configHash(config), ...outcome });
  storage.close();
}

/**
 * Returns the outcome of a session: good if it stopped reconciled and with a whole journal, without alarms, halts or
 * differences.
 */
export function sessionOutcome({ end, snapshot, tally, differences }: SessionResult, isWritten: boolean): StepOutcome {
  const faults = [
    ...(end.type === 'stopped' ? [] : [`it ended as ${end.type}`]),
    ...(end.type === 'stopped' && !end.isReconciled ? ['it was not reconciled'] : []),
    ...[...tally.alarms].map(([code, count]) => `alarm ${code} ×${count}`),
    ...(tally.drifts > 0 ? [`${tally.drifts} differences from the venue’s figures`] : []),
    ...(snapshot.halts.length > 0 ? ['something was halted'] : []),
    ...((differences ?? []).length > 0 ? ['the account differs from the ledger'] : []),
    ...(isWritten ? [] : ['its journal is not whole']),
  ];
  // A machine that sleeps tries nothing: its sleep counts for no stage.
  const { runMs: elapsedMs } = snapshot;
  if (faults.length > 0) return { isGood: false, elapsedMs, words: faults.join('; ') };
  const fills = tally.strategies().reduce((sum, strategy) => sum + strategy.fills, 0);
  return { isGood: true, elapsedMs, words: `reconciled, no alarm, ${fills} fills` };
}

/** Returns the outcome of the doctor's checks. */
export function doctorOutcome(checks: readonly Check[]): StepOutcome {
  const bad = checks.filter(({ state }) => state === 'bad').map(({ name }) => name);
  return { isGood: isHealthy(checks), elapsedMs: 0, words: bad.length === 0 ? 'nothing is wrong' : namesText(bad) };
}
