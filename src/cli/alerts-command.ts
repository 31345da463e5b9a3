// `presage alerts`: sends a test message to the targets of a config. Must never print a secret.
import { Command, Option } from '@commander-js/extra-typings';
import { type TargetTest, testAlerts } from '../app/alerts/alerts-test.ts';
import { SEVERITIES } from '../config/alerts-config.ts';
import { ExitCode } from './output/exit-code.ts';
import { printLines } from './output/print-lines.ts';
import { columns } from './output/text-format.ts';

/** Creates the command. */
export function alertsCommand() {
  const test = new Command('test')
    .description('Send a test message to each target of the config, and show what each answers.')
    .requiredOption('--config <file>', 'the bot’s config')
    .option('--target <name>', 'only this target; `heartbeat` for the heartbeat')
    .addOption(
      new Option('--severity <severity>', 'severity of the message').choices(SEVERITIES).default('warning' as const),
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
The message goes to each target whatever its lowest severity and quiet hours. No bot needs to run, and nothing is retried.

Exit code: 0 every target accepted it; 1 one did not; 2 the config or a secret is wrong.

Examples:
  presage alerts test --config config/kalshi-live.yaml
  presage alerts test --config config/kalshi-live.yaml --target phone --severity critical`,
    )
    .action(async ({ config, target, severity, json }) => {
      const tests = await testAlerts({ file: config, target, severity });
      const isAccepted = tests.every((each) => each.isAccepted);
      printLines(json ? [JSON.stringify({ isAccepted, targets: tests })] : render(tests));
      process.exitCode = isAccepted ? ExitCode.ok : ExitCode.session;
    });
  return new Command('alerts').addCommand(test);
}

/** Renders a line for each target, with remarks below. */
export function render(tests: readonly TargetTest[]): string[] {
  const rows = columns(
    tests.map(({ target, type, isAccepted, answer, elapsedMs }) => [
      isAccepted ? 'accepted' : 'FAILED',
      target,
      type,
      `${elapsedMs} ms`,
      answer,
    ]),
  );
  const remarks = tests.flatMap(({ target, remark }) => (remark === null ? [] : [`  ${target}: ${remark}`]));
  return [...rows, ...remarks];
}
