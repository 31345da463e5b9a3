// The ladder as commands use it: asked before a session in one of the venue's worlds begins, and told how it went.
// Must never let a session begin that a lower rung is missing for, nor call one good that ended badly.
import type { BotConfig } from '../../config/bot-config.ts';
import type { Check } from '../../runtime/doctor/check-result.ts';
import { isHealthy, namesText } from '../../runtime/doctor/check-result.ts';
import { type GoLiveStage, type StageStep, judgeStage } from '../../runtime/stages/go-live-stages.ts';
import { configHash, stageOf, strategiesHashOf, environmentOf } from '../../runtime/stages/stage-of-config.ts';
import { appendStep, stagesFolder, readSteps } from '../../runtime/stages/stage-steps.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import type { SessionResult } from '../../cli/show/session-ending.ts';
import { knownProfile } from '../venue/open-venue.ts';
import { UsageError } from '../usage-error.ts';

/** Where a session stands. */
export interface StagePosition {
  readonly rung: GoLiveStage;
  readonly world: string;
  /** The folder in which what was climbed is kept. */
  readonly folder: string;
}

/** Where a session in earnest stands; `null` where nothing real can be lost, nor learned. */
export function stagePositionOf(config: BotConfig): StagePosition | null {
  const profile = knownProfile(config.venue.profile);
  const rung = stageOf(config, profile);
  const world = environmentOf(config.venue, profile);
  if (rung === null || world === null || config.dataFolder === undefined) return null;
  return { rung, world, folder: stagesFolder(config.dataFolder) };
}

/** A rung, and where it is: `full in production`; `demo`, for that rung is the world's own. */
export const stageText = (rung: GoLiveStage, world: string): string => (rung === world ? rung : `${rung} in ${world}`);

/**
 * Lets a session begin.
 * @throws {UsageError} when a rung below its own is missing: which, why, and what to do; {LadderFault} when what was
 *   climbed cannot be read.
 */
export async function requireEarlierStages(config: BotConfig, { rung, world, folder }: StagePosition): Promise<void> {
  const asked = { rung, world, strategies: await strategiesHashOf(config), nowMs: Date.now() };
  const verdict = judgeStage(readSteps(fileStorage(folder)), asked);
  if (verdict.isAllowed) return;
  throw new UsageError(
    `the ladder does not reach ${stageText(rung, world)} yet: ${verdict.rung}: ${verdict.reason}; next: ${verdict.remedy}`,
  );
}

type Done = Pick<StageStep, 'isGood' | 'elapsedMs' | 'words'>;

/** Keeps what was done. */
export async function recordStep(config: BotConfig, { rung, world, folder }: StagePosition, done: Done): Promise<void> {
  const strategies = await strategiesHashOf(config);
  const storage = fileStorage(folder);
  appendStep(storage, { rung, atMs: Date.now(), world, strategies, config: configHash(config), ...done });
  storage.close();
}

/** How a session went. */
export function sessionOutcome({ end, snapshot, tally, differences }: SessionResult, isWritten: boolean): Done {
  const faults = [
    ...(end.type === 'stopped' ? [] : [`it ended as ${end.type}`]),
    ...(end.type === 'stopped' && !end.isReconciled ? ['it was not reconciled'] : []),
    ...[...tally.alarms].map(([code, count]) => `alarm ${code} ×${count}`),
    ...(tally.drifts > 0 ? [`${tally.drifts} differences from the venue’s figures`] : []),
    ...(snapshot.halts.length > 0 ? ['something was halted'] : []),
    ...((differences ?? []).length > 0 ? ['the account differs from the ledger'] : []),
    ...(isWritten ? [] : ['its journal is not whole']),
  ];
  const { elapsedMs } = snapshot;
  if (faults.length > 0) return { isGood: false, elapsedMs, words: faults.join('; ') };
  const fills = tally.strategies().reduce((sum, strategy) => sum + strategy.fills, 0);
  return { isGood: true, elapsedMs, words: `reconciled, no alarm, ${fills} fills` };
}

/** What the doctor found. */
export function doctorOutcome(checks: readonly Check[]): Done {
  const bad = checks.filter(({ state }) => state === 'bad').map(({ name }) => name);
  return { isGood: isHealthy(checks), elapsedMs: 0, words: bad.length === 0 ? 'nothing is wrong' : namesText(bad) };
}
