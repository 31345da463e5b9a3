// `presage exchange`: runs the local exchange for bots in other processes, and prints its ledger at the end.
import { Command } from '@commander-js/extra-typings';
import { type ExchangeResult, runExchange } from '../app/exchange/exchange-run.ts';
import { dollarsText, signedContracts } from '../domain/amounts.ts';
import { durationArgument, portArgument, seedArgument } from './arguments/argument-parsers.ts';
import { ExitCode } from './output/exit-code.ts';
import { printRecord } from './output/print-lines.ts';
import { columns } from './output/text-format.ts';

interface ExchangeOptions {
  readonly config: string;
  readonly port?: number;
  readonly data?: string;
  readonly key?: readonly string[];
  readonly log?: string;
  readonly logRequests?: true;
  readonly faults?: string;
  readonly faultSeed?: number;
  readonly for?: number;
  readonly json?: true;
}

/** Creates the command. */
export function exchangeCommand() {
  return new Command('exchange')
    .requiredOption('--config <file>', 'the exchange’s config: accounts, markets, flow, limits')
    .option('--port <port>', 'in place of the config’s; 0 for any that is free', portArgument)
    .option('--data <folder>', 'keep the exchange’s log here: started again, it continues where it stopped')
    .option(
      '--key <account=file>',
      'let an account trade with this key; the key is made when the file does not exist',
      collect,
    )
    .option('--log <file>', 'write a log: refused requests with the reason, and faults')
    .option('--log-requests', 'log every request, too; to standard error where there is no --log')
    .option('--faults <file>', 'inject the faults of this plan, in place of the config’s')
    .option('--fault-seed <number>', 'seed of the faults, in place of the plan’s', seedArgument)
    .option('--for <duration>', 'stop after this time', durationArgument)
    .option('--json', 'print JSON lines: where it listens, and the ledger at the end')
    .addHelpText(
      'after',
      `
A key made by --key demo=FILE is known to the exchange as \`demo-key\`.

Example, with a bot in another terminal:
  presage exchange --config config/exchange.yaml --key demo=var/demo.pem
  presage run --config config/local.yaml`,
    )
    .action(async (options) => {
      process.exitCode = await exchange(options);
    });
}

const collect = (text: string, earlier: readonly string[] | undefined): readonly string[] => [...(earlier ?? []), text];

async function exchange({
  config: file,
  data,
  key,
  log,
  for: forMs,
  json,
  ...options
}: ExchangeOptions): Promise<number> {
  const { summary, failure } = await runExchange({
    file,
    port: options.port,
    dataFolder: data,
    keys: key,
    logFile: log,
    logsRequests: options.logRequests,
    faults: options.faults,
    faultSeed: options.faultSeed,
    forMs,
    onListening: ({ url, feedUrl }) =>
      printRecord(json, { type: 'listening', url, feedUrl }, [
        `the exchange listens at ${url} (feed ${feedUrl}); Ctrl-C ends it`,
      ]),
  });
  printRecord(json, { type: 'end', ...summary }, renderLedger(summary));
  if (failure === null) return ExitCode.ok;
  process.stderr.write(`the exchange has stopped: ${failure}\n`);
  return ExitCode.session;
}

type Summary = ExchangeResult['summary'];

function renderFaults(faultsByKind: Summary['faultsByKind']): string[] {
  const counts = Object.entries(faultsByKind).map(([kind, count]) => `${count} ${kind}`);
  return counts.length === 0 ? [] : [`faults: ${counts.join(', ')}`];
}

function renderLedger({ ledger, fills, prints, faultsByKind }: Summary): string[] {
  const figures = ledger.accounts.map(({ account, cash, reserved, fees }) => [
    account,
    dollarsText(cash),
    dollarsText(reserved),
    dollarsText(fees),
  ]);
  const held = ledger.accounts.map(({ positions }) =>
    positions
      .filter(({ qty }) => qty !== 0)
      .map(({ ticker, qty }) => `${ticker} ${signedContracts(qty)}`)
      .join(', '),
  );
  const rows = columns([['account', 'cash', 'reserved', 'fees'], ...figures]);
  return [
    ...rows.map((row, at) => `${row}  ${at === 0 ? 'positions' : (held[at - 1] ?? '')}`.trimEnd()),
    '',
    `fees taken ${dollarsText(ledger.house)}, behind open pairs ${dollarsText(ledger.locked)}, paid in ${dollarsText(ledger.deposited)}`,
    `${prints} trades, ${fills} fills`,
    ...renderFaults(faultsByKind),
  ];
}
