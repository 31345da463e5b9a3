// Reviews the go-live stages of a config: passed stages, missing stages, and the next action. May replay a journal
// first, to pass the stage `replay`.
import { resolve } from 'node:path';
import { type BotConfig, readBotConfig } from '../../config/bot-config.ts';
import { withConfigLines } from '../../config/yaml.ts';
import { hashStrategy } from '../../runtime/plugins/strategy-loader.ts';
import { replayTape } from '../../runtime/replay/tape-replay.ts';
import {
  GO_LIVE_STAGES,
  type GoLiveStage,
  type StageRequest,
  type StageVerdict,
  judgeStage,
  missingOnStage,
} from '../../runtime/stages/go-live-stages.ts';
import { strategiesHash, strategiesHashOf } from '../../runtime/stages/stage-of-config.ts';
import { readSteps } from '../../runtime/stages/stage-steps.ts';
import { segmentsOf } from '../../tape/format/segment-files.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { recordedStrategies } from '../strategy/recorded-strategies.ts';
import { UsageError } from '../usage-error.ts';
import { type StagePosition, recordStep, stagePositionOf } from './stage-gate.ts';

/** Options of a review. */
export interface StageReviewOptions {
  readonly file: string;
  /** Folder of a journal of the same strategies. Its replay passes the stage `replay`. */
  readonly replay?: string | undefined;
  /** The only session of the journal to replay. @default all sessions. */
  readonly session?: string | undefined;
}

/** A stage before the config's own. `missing` is `null` when the stage is passed. */
export interface StageState {
  readonly rung: GoLiveStage;
  readonly missing: ReturnType<typeof missingOnStage>;
}

/** Verdict on the stage of a config, and the state of each stage before it. */
export interface StageReview extends StagePosition {
  readonly verdict: StageVerdict;
  readonly rungs: readonly StageState[];
}

/**
 * Reviews the stages of a config.
 * @throws {UsageError} when the config has no stage, or the journal has no session of its strategies.
 * @throws {TapeFault} when the journal is damaged.
 */
export function reviewStages(options: StageReviewOptions): Promise<StageReview> {
  const config = readBotConfig(options.file);
  return withConfigLines(options.file, () => reviewConfig(config, options));
}

async function reviewConfig(config: BotConfig, { file, replay, session }: StageReviewOptions): Promise<StageReview> {
  const position = stagePositionOf(config);
  if (position === null)
    throw new UsageError(
      `${file}: expected a config with strategies in one of the venue’s environments: no ladder is needed elsewhere`,
    );
  if (replay !== undefined) await passReplay(config, position, { folder: replay, session });
  const { rung, world, folder } = position;
  const request: StageRequest = { rung, world, strategies: await strategiesHashOf(config), nowMs: Date.now() };
  const steps = readSteps(fileStorage(folder));
  const rungs = GO_LIVE_STAGES.slice(0, GO_LIVE_STAGES.indexOf(rung)).map((stage) => ({
    rung: stage,
    missing: missingOnStage(stage, steps, request),
  }));
  return { rung, world, folder, verdict: judgeStage(steps, request), rungs };
}

interface ReplayedJournal {
  readonly folder: string;
  readonly session: string | undefined;
}

/** The stage `replay` is good when there were commands, and the replay repeated all of them. */
async function passReplay(
  config: BotConfig,
  position: StagePosition,
  { folder, session }: ReplayedJournal,
): Promise<void> {
  const storage = fileStorage(resolve(folder));
  if (segmentsOf(storage).length === 0)
    throw new UsageError(`--replay: expected the folder of a journal, found none: ${folder}`);
  const hashes = await Promise.all(config.strategies.map(({ file }) => hashStrategy(file)));
  let hasOurs = false;
  const report = await replayTape({
    storage,
    ...(session !== undefined && { session }),
    strategies: (manifest) => {
      const recorded = manifest.strategies.map(({ sha256 }) => sha256);
      hasOurs ||= hashes.every((sha256) => recorded.includes(sha256));
      return recordedStrategies(manifest, folder, {});
    },
  });
  if (!hasOurs) throw new UsageError(`--replay: ${folder} has no session of the strategies of this config`);
  const replayed = report.sessions.filter(({ leftOut }) => leftOut === null);
  const different = replayed.filter(({ difference }) => difference !== null).map((each) => each.session);
  const commands = replayed.reduce((sum, each) => sum + each.commands, 0);
  const words =
    different.length > 0
      ? `${different.join(', ')} differed`
      : `${replayed.length} sessions, ${commands} commands the same`;
  const isGood = different.length === 0 && commands > 0;
  recordStep(
    config,
    { ...position, rung: 'replay', strategies: strategiesHash(hashes) },
    { isGood, elapsedMs: 0, words },
  );
}
