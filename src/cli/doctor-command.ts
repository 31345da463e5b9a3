// `presage doctor`: checks everything that trading needs, and prints each problem together with its remedy. Must never
// print a key or a signature. Must never place an order without --orders.
import { Command } from '@commander-js/extra-typings';
import { runDoctor } from '../app/doctor/doctor-run.ts';
import { type Check, type CheckState, isHealthy } from '../runtime/doctor/check-result.ts';
import { checklist } from './output/checklist.ts';
import { ExitCode } from './output/exit-code.ts';
import { printLines } from './output/print-lines.ts';
import { terminalWidth } from './output/terminal-size.ts';

interface DoctorOptions {
  readonly config: string;
  readonly orders?: true;
  readonly json?: true;
}

/** Creates the command. */
export function doctorCommand() {
  return new Command('doctor')
    .requiredOption('--config <file>', 'the bot’s config')
    .option('--orders', 'also place and cancel the smallest possible order in every open market of the config')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
It loads the strategies of the config as \`presage run\` does, and starts none.

Without --orders nothing is changed at the venue. With it, a bid for the smallest quantity at the lowest price of each market
is placed, found, canceled, and checked to be gone: it rests where nothing trades.

Exit code: 0 nothing is wrong; 1 something is; 2 the config is wrong.

Examples:
  presage doctor --config config/kalshi-demo.yaml
  presage doctor --config config/kalshi-demo.yaml --orders`,
    )
    .action(async (options) => {
      process.exitCode = await doctor(options);
    });
}

async function doctor({ config, orders, json }: DoctorOptions): Promise<number> {
  const checks = await runDoctor(config, orders === true);
  printLines(
    json ? [JSON.stringify({ isWell: isHealthy(checks), checks })] : render(checks, terminalWidth(process.stdout)),
  );
  return isHealthy(checks) ? ExitCode.ok : ExitCode.session;
}

const MARKS: Readonly<Record<CheckState, string>> = { ok: 'ok', warn: 'WARN', bad: 'BAD', skipped: '-' };

/** Renders checks as lines, with remedies below. */
export function render(checks: readonly Check[], width?: number): string[] {
  const items = checks.map(({ state, ...check }) => ({ ...check, mark: MARKS[state] }));
  return [...checklist(items, width), isHealthy(checks) ? 'nothing is wrong' : 'something is wrong'];
}
