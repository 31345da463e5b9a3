// `presage exchange`: the local exchange as a process of its own, for bots in others.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { type ExchangeConfig, readExchangeConfig } from '../config/exchange-config.ts';
import { readFaultPlan } from '../config/fault-config.ts';
import { type KeyRegistration, type RunningExchange, startExchange } from '../exchange/api/exchange-server.ts';
import { openLog } from '../log.ts';
import { fileStorage } from '../tape/journal/file-storage.ts';
import { generateKeyPair, publicKeyScheme, writeKeyPair } from '../venues/trade-api/signing/key-files.ts';
import type { Signing } from '../venues/trade-api/profiles/wire-profile.ts';
import { durationArgument, portArgument, seedArgument } from './arguments/argument-parsers.ts';
import { ExitCode } from './output/exit-code.ts';
import { dollarsText, signedContracts } from '../domain/amounts.ts';
import { columns } from './output/text-format.ts';
import { knownProfile } from '../app/venue/open-venue.ts';
import { UsageError } from '../app/usage-error.ts';
import { timeLimit, firstStopSignal } from '../app/process-events.ts';

/** Options of the command line. */
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

/** The command. */
export function exchangeCommand() {
  return new Command('exchange')
    .description('Run the local exchange: a real server on 127.0.0.1 that speaks the wire, with agents that trade.')
    .requiredOption('--config <file>', 'the exchange’s config: accounts, markets, flow, limits')
    .option('--port <port>', 'in place of the config’s; 0 for any that is free', portArgument)
    .option('--data <folder>', 'keep the log here: started again, the exchange goes on where it stopped')
    .option('--key <account=file>', 'let an account trade with this key; made when the file is not there', collect)
    .option('--log <file>', 'write a log: refused requests with the reason, and what goes wrong')
    .option('--log-requests', 'log every request, too; to standard error where there is no --log')
    .option('--faults <file>', 'let go wrong what this file plans, in place of the config’s plan')
    .option('--fault-seed <number>', 'draw the faults anew, by this seed', seedArgument)
    .option('--for <duration>', 'end after so long', durationArgument)
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
      process.exitCode = await serve(options);
    });
}

const collect = (text: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), text];

/** The file's config, as the options change it. */
function configOf({ config, data, faults, faultSeed, logRequests }: ExchangeOptions): ExchangeConfig {
  const read = readExchangeConfig(config);
  const plan = faults === undefined ? read.faults : readFaultPlan(faults);
  if (plan === undefined && faultSeed !== undefined)
    throw new UsageError('--fault-seed: expected a plan of faults, in the config or as --faults, found none');
  return {
    ...read,
    ...(data === undefined ? {} : { dataFolder: resolve(data) }),
    ...(logRequests === true ? { logsRequests: true } : {}),
    ...(plan === undefined ? {} : { faults: { ...plan, seed: faultSeed ?? plan.seed } }),
  };
}

async function serve(options: ExchangeOptions): Promise<number> {
  const config = configOf(options);
  const release = claimFolder(config);
  try {
    return await serveUntilEnd(config, options);
  } finally {
    release();
  }
}

/** Two exchanges that write one log would make it nobody's. */
function claimFolder({ dataFolder }: ExchangeConfig): () => void {
  if (dataFolder === undefined) return () => undefined;
  const storage = fileStorage(dataFolder);
  storage.lockFolder();
  return () => storage.close();
}

async function serveUntilEnd(config: ExchangeConfig, options: ExchangeOptions): Promise<number> {
  const profile = knownProfile(config.profile, 'profile');
  const keys = (options.key ?? []).map((text) => keyOf(text, profile.signing));
  const isLogged = options.log !== undefined || config.logsRequests;
  const log = openLog({ level: isLogged ? 'info' : 'silent', file: options.log ?? null });
  const port = options.port ?? config.port;
  const exchange = await startExchange({ config, profile, port, keys, log });
  tellStart(exchange, options);
  const { signal, release } = firstStopSignal();
  const timer = timeLimit(options.for);
  const failure = await Promise.race([signal, timer.passed, exchange.failed]);
  timer.release();
  release();
  await exchange.stop();
  tellEnd(exchange, options);
  if (!(failure instanceof Error)) return ExitCode.ok;
  process.stderr.write(`the exchange has stopped: ${failure.message}\n`);
  return ExitCode.session;
}

/** Reads or makes the pair of an account's key; only its public half reaches the exchange. */
function keyOf(text: string, { scheme, schemes }: Signing): KeyRegistration {
  const [, account, file] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (account === undefined || file === undefined)
    throw new UsageError(`--key: expected account=file, found ${JSON.stringify(text)}`);
  const privateFile = resolve(file);
  if (!existsSync(privateFile)) {
    mkdirSync(dirname(privateFile), { recursive: true });
    writeKeyPair(privateFile, generateKeyPair(scheme));
  }
  const publicFile = `${privateFile}.pub`;
  if (!existsSync(publicFile))
    throw new UsageError(`--key: expected the public half beside the key, found no ${publicFile}`);
  const publicPem = readFileSync(publicFile, 'utf8');
  return {
    id: `${account}-key`,
    account,
    scheme: publicKeyScheme(publicPem, { schemes, source: publicFile }),
    publicPem,
  };
}

function tellStart({ url, feedUrl }: RunningExchange, { json }: ExchangeOptions): void {
  const text = json
    ? JSON.stringify({ type: 'listening', url, feedUrl })
    : `the exchange listens at ${url} (feed ${feedUrl}); Ctrl-C ends it`;
  process.stdout.write(`${text}\n`);
}

function tellEnd(exchange: RunningExchange, { json }: ExchangeOptions): void {
  const summary = exchange.summary();
  process.stdout.write(
    json ? `${JSON.stringify({ type: 'end', ...summary })}\n` : `${renderLedger(summary).join('\n')}\n`,
  );
}

/** What was made to go wrong, for people. */
function renderFaults(faultsByKind: ReturnType<RunningExchange['summary']>['faultsByKind']): string[] {
  const counts = Object.entries(faultsByKind).map(([kind, count]) => `${count} ${kind}`);
  return counts.length === 0 ? [] : [`faults: ${counts.join(', ')}`];
}

/** The ledger, for people: the accounts that traded or were paid in. */
function renderLedger({ ledger, fills, prints, faultsByKind }: ReturnType<RunningExchange['summary']>): string[] {
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
