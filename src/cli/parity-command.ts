// `presage parity`: compares a live session with its replay in the backtester, and prints the differences with their
// causes.
import { Command } from '@commander-js/extra-typings';
import type { ParityReport, RestingTotals } from '../../backtest/parity/run-comparison.ts';
import { runParity } from '../app/backtest/parity-run.ts';
import { contractsText, signedDollars } from '../domain/amounts.ts';
import { type Micros, money, qty } from '../domain/units.ts';
import { shareText } from '../report/text/figure-text.ts';
import { isoMicros } from '../tape/format/iso-time.ts';
import { durationArgument, seedArgument } from './arguments/argument-parsers.ts';
import { ExitCode } from './output/exit-code.ts';
import { printLines } from './output/print-lines.ts';
import { openShowingProgress, reportingTapeFaults } from './tape/tape-opening.ts';

interface ParityFlags {
  readonly session?: string;
  readonly simulation?: string;
  readonly window?: number;
  readonly seed: number;
  readonly strategies?: string;
  readonly allowChanged?: true;
  readonly json?: true;
}

const SHOWN_MAX = 40;

/** Creates the command. */
export function parityCommand() {
  return new Command('parity')
    .argument('<tape>', 'the folder of a session: <data folder>/journal, or what `run --record` wrote')
    .option('--session <name>', 'one of the tape’s sessions (default: the last one)')
    .option(
      '--simulation <file>',
      'YAML with the models of the simulated venue, such as `presage calibrate` writes (default: those of a paper session; delays as the journal shows them for a live one)',
    )
    .option(
      '--window <duration>',
      'maximum time between the same decision in both runs (default: 2s)',
      durationArgument,
    )
    .option('--seed <number>', 'seed of the models', seedArgument, 1)
    .option('--strategies <folder>', 'look for the strategies’ files here')
    .option('--allow-changed', 'continue when a strategy’s file has changed')
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'after',
      `
The session’s own orders are removed from the recorded books, and the simulated venue has the delays of the real one.
Causes: latency (it arrived, moved or left at another time), queue (other orders before it), fee, budget (delayed by the rate
limit), refused (the venue refused only one of them), code (the journal itself replays differently: the comparison ends
there), tape (a gap in that market), start (the other run did not trade yet), halt (the other run was halted then, or a
flatten placed it), follows (from an earlier difference in the same event group), position (the session began with one in
that event group), unexplained.

The agreement is twice the contracts that both traded with the same orders, over the sum of both: 1 is all, 0 is none.

Exit code: 0 every difference has a cause; 1 some have none, or the tape is damaged; 2 the command or a file is wrong.

Example:
  presage run --config config/demo.yaml --for 1m --record recordings/demo
  presage parity recordings/demo`,
    )
    .action(async (place, options) => {
      process.exitCode = await reportingTapeFaults(() => parity(place, options));
    });
}

async function parity(place: string, { window: windowMs, json, ...options }: ParityFlags): Promise<number> {
  const { report, notes } = await runParity(place, { ...options, windowMs, openTape: openShowingProgress });
  printLines(json ? [JSON.stringify({ ...report, notes })] : render(report, notes));
  return (report.byCause.unexplained ?? 0) > 0 ? ExitCode.session : ExitCode.ok;
}

/** Renders the report, differences first. */
export function render(
  { orders, filledQty, resting, agreement, cash, differences, byCause }: ParityReport,
  notes: readonly string[],
): string[] {
  const shown = differences.slice(0, SHOWN_MAX);
  const causes = Object.entries(byCause).map(([cause, count]) => `${cause} ${count}`);
  return [
    ...shown.map(
      ({ at, cause, strategy, ticker, what }) =>
        `${isoMicros(at as Micros)}  ${cause}: ${strategy} in ${ticker}: ${what}`,
    ),
    ...(differences.length > shown.length
      ? [`... and ${differences.length - shown.length} more: --json shows all`]
      : []),
    ...(differences.length === 0 ? [] : ['']),
    ...notes.map((note) => `note: ${note}`),
    `orders     session ${orders.live}, backtest ${orders.simulated}, in both ${orders.paired}`,
    `contracts  session ${contracts(filledQty.live)}, backtest ${contracts(filledQty.simulated)}, by the same orders ${contracts(filledQty.same)}`,
    `resting    session ${restingText(resting.live)}, backtest ${restingText(resting.simulated)}`,
    `cash       session ${signed(cash.live)}, backtest ${signed(cash.simulated)}: paid and received for trades, with fees`,
    `causes     ${causes.length === 0 ? 'no differences' : causes.join(', ')}`,
    `agreement  ${agreement.toFixed(4)}`,
  ];
}

const restingText = ({ orders, qty: placed, filledQty }: RestingTotals): string =>
  `${shareText(placed === 0 ? null : filledQty / placed)} of ${orders} orders filled`;
const contracts = (amount: number): string => contractsText(qty(amount));
const signed = (amount: number): string => signedDollars(money(amount));
