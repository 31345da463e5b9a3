// `presage ladder`: how far towards full size the strategies of a config have come, what is missing, and what to do next.
import { Command } from '@commander-js/extra-typings';
import { reportingTapeFaults } from './tape/tape-opening.ts';
import { printLines } from './output/print-lines.ts';
import { resolve } from 'node:path';
import { type BotConfig, readBotConfig } from '../config/bot-config.ts';
import { type StageRequest, GO_LIVE_STAGES, judgeStage, missingOnStage } from '../runtime/stages/go-live-stages.ts';
import { strategiesHashOf } from '../runtime/stages/stage-of-config.ts';
import { hashStrategy } from '../runtime/plugins/strategy-loader.ts';
import { readSteps } from '../runtime/stages/stage-steps.ts';
import { replayTape } from '../runtime/replay/tape-replay.ts';
import { fileStorage } from '../tape/journal/file-storage.ts';
import { segmentsOf } from '../tape/format/segment-files.ts';
import { checklist } from './output/checklist.ts';
import { ExitCode } from './output/exit-code.ts';
import { remakeStrategies } from './journal-command.ts';
import { type StagePosition, recordStep, stageText, stagePositionOf } from '../app/stages/stage-gate.ts';
import { UsageError } from '../app/usage-error.ts';

interface LadderOptions {
  readonly config: string;
  readonly replay?: string;
  readonly session?: string;
  readonly json?: true;
}

/** The command. */
export function ladderCommand() {
  return new Command('ladder')
    .description('Tell how far towards full size the strategies of a config have come, and what is missing.')
    .requiredOption('--config <file>', 'the bot’s config, in one of the venue’s own worlds')
    .option('--replay <folder>', 'climb the rung of that name: replay this journal, of the same strategies')
    .option('--session <name>', 'of that journal only this session: another version may do otherwise')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
The rungs: doctor (well, within the last day) → replay (a journal of the strategies replays byte for byte) → paper (an hour
without an alarm) → demo (an hour, reconciled) → smallest (orderQtyMax: 1 and accountCostMax: 10 at most, for a day) → full.
\`presage run\` and \`presage paper\` refuse to begin in a world of the venue’s while a rung below is missing. Another strategy
file begins anew. A journal to replay is had on an exchange of one’s own: \`presage run --config config/demo.yaml --for 1m\`.

Exit code: 0 the config may run; 1 a rung is missing, or the replay differs; 2 the command or a file is wrong.

Examples:
  presage ladder --config config/kalshi-live.yaml
  presage ladder --config config/kalshi-demo.yaml --replay var/demo/journal`,
    )
    .action(async (options) => {
      process.exitCode = await reportingTapeFaults(() => ladder(options));
    });
}

async function ladder(options: LadderOptions): Promise<number> {
  const config = readBotConfig(options.config);
  const standing = stagePositionOf(config);
  if (standing === null)
    throw new UsageError(
      `${options.config}: expected a config with strategies in one of the venue’s worlds: no ladder is needed elsewhere`,
    );
  if (options.replay !== undefined)
    await climbReplay(config, standing, { folder: options.replay, session: options.session });
  const { rung, world, folder } = standing;
  const asked: StageRequest = { rung, world, strategies: await strategiesHashOf(config), nowMs: Date.now() };
  const steps = readSteps(fileStorage(folder));
  const verdict = judgeStage(steps, asked);
  const rungs = GO_LIVE_STAGES.slice(0, GO_LIVE_STAGES.indexOf(rung)).map((each) => ({
    rung: each,
    missing: missingOnStage(each, steps, asked),
  }));
  printLines(
    options.json
      ? [JSON.stringify({ rung, world, folder, verdict, rungs })]
      : render(asked, rungs, process.stdout.columns),
  );
  return verdict.isAllowed ? ExitCode.ok : ExitCode.session;
}

interface RungState {
  readonly rung: string;
  readonly missing: ReturnType<typeof missingOnStage>;
}

/** The rungs below what is asked for, as lines. */
export function render(
  { rung, world }: Pick<StageRequest, 'rung' | 'world'>,
  rungs: readonly RungState[],
  width?: number,
): string[] {
  const items = rungs.map(({ rung: name, missing }) =>
    missing === null
      ? { mark: 'ok', name, words: '', remedy: null }
      : { mark: 'MISSING', name, words: missing.reason, remedy: missing.remedy },
  );
  const isAllowed = rungs.every(({ missing }) => missing === null);
  return [...checklist(items, width), `${stageText(rung, world)}: ${isAllowed ? 'may run' : 'may not run yet'}`];
}

interface Replayed {
  readonly folder: string;
  readonly session: string | undefined;
}

async function climbReplay(config: BotConfig, standing: StagePosition, { folder, session }: Replayed): Promise<void> {
  const storage = fileStorage(resolve(folder));
  if (segmentsOf(storage).length === 0)
    throw new UsageError(`--replay: expected the folder of a journal, found none: ${folder}`);
  const own = await Promise.all(config.strategies.map(({ file }) => hashStrategy(file)));
  const ofOurs = new Set<string>();
  const report = await replayTape({
    storage,
    ...(session !== undefined && { session }),
    strategies: (manifest) => {
      const ran = manifest.strategies.map(({ sha256 }) => sha256);
      if (own.every((sha256) => ran.includes(sha256))) ofOurs.add(manifest.hash);
      return remakeStrategies(manifest, folder, {});
    },
  });
  if (ofOurs.size === 0) throw new UsageError(`--replay: ${folder} has no session of the strategies of this config`);
  const replayed = report.sessions.filter(({ leftOut }) => leftOut === null);
  const different = replayed.filter(({ difference }) => difference !== null).map(({ session }) => session);
  const commands = replayed.reduce((sum, session) => sum + session.commands, 0);
  const isGood = different.length === 0 && commands > 0;
  const words =
    different.length > 0
      ? `${different.join(', ')} differed`
      : `${replayed.length} sessions, ${commands} commands the same`;
  await recordStep(config, { ...standing, rung: 'replay' }, { isGood, elapsedMs: 0, words });
}
