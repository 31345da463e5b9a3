// `presage ladder`: prints the go-live stages that a config's strategies have passed, the missing stages, and the next
// action.
import { Command } from '@commander-js/extra-typings';
import { stageText } from '../app/stages/stage-gate.ts';
import { type StageReview, reviewStages } from '../app/stages/stage-review.ts';
import { checklist } from './output/checklist.ts';
import { ExitCode } from './output/exit-code.ts';
import { printLines } from './output/print-lines.ts';
import { reportingTapeFaults } from './tape/tape-opening.ts';
import { terminalWidth } from './output/terminal-size.ts';

interface LadderOptions {
  readonly config: string;
  readonly replay?: string;
  readonly session?: string;
  readonly json?: true;
}

/** Creates the command. */
export function ladderCommand() {
  return new Command('ladder')
    .requiredOption('--config <file>', 'the bot’s config, in one of the venue’s environments')
    .option('--replay <folder>', 'pass the stage of that name: replay this journal, of the same strategies')
    .option('--session <name>', 'only this session of that journal: one of another version may replay differently')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
The stages: doctor (well, within the last day) → replay (a journal of the strategies replays byte for byte) → paper (an hour
without an alarm) → demo (an hour, reconciled) → smallest (orderQtyMax: 1 and accountCostMax: 10 at most, for a day) → full.
\`presage run\` and \`presage paper\` refuse to start in an environment of the venue while an earlier stage is missing. A changed
strategy file starts again. A journal to replay comes from a local exchange: \`presage run --config config/demo.yaml --for 1m\`.

Exit code: 0 the config may run; 1 a stage is missing, or the replay differs; 2 the command or a file is wrong.

Examples:
  presage ladder --config config/kalshi-live.yaml
  presage ladder --config config/kalshi-demo.yaml --replay var/demo/journal`,
    )
    .action(async (options) => {
      process.exitCode = await reportingTapeFaults(() => ladder(options));
    });
}

async function ladder({ config: file, replay, session, json }: LadderOptions): Promise<number> {
  const review = await reviewStages({ file, replay, session });
  const { rung, world, folder, verdict, rungs } = review;
  printLines(
    json ? [JSON.stringify({ rung, world, folder, verdict, rungs })] : render(review, terminalWidth(process.stdout)),
  );
  return verdict.isAllowed ? ExitCode.ok : ExitCode.session;
}

/** Renders the stages before the config's own. */
export function render(
  { rung, world, rungs }: Pick<StageReview, 'rung' | 'world' | 'rungs'>,
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
