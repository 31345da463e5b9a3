// Runs the local exchange as a process of its own, until a signal, a time limit or a fault ends it.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { makeFolder } from '../../log/make-folder.ts';
import { type ExchangeConfig, readExchangeConfig } from '../../config/exchange-config.ts';
import { readFaultPlan } from '../../config/fault-config.ts';
import { type KeyRegistration, type RunningExchange, startExchange } from '../../exchange/api/exchange-server.ts';
import { openLog } from '../../log.ts';
import type { Signing } from '../../venues/trade-api/profiles/wire-profile.ts';
import { generateKeyPair, publicKeyScheme, writeKeyPair } from '../../venues/trade-api/signing/key-files.ts';
import { withConfigLines } from '../../config/yaml.ts';
import { firstStopSignal, timeLimit } from '../process-events.ts';
import { UsageError } from '../usage-error.ts';
import { knownProfile } from '../venue/known-profile.ts';
import { lockExchangeFolder } from './exchange-folder-lock.ts';

/** Options of the exchange. */
export interface ExchangeRunOptions {
  readonly file: string;
  /** Port in place of the config's. 0: any free port. */
  readonly port?: number | undefined;
  /** Folder of the exchange's stored inputs, from which a later exchange continues. @default the config's. */
  readonly dataFolder?: string | undefined;
  /** Keys of accounts, each as `account=file`. A missing key file is created. */
  readonly keys?: readonly string[] | undefined;
  /** File of the exchange's log: refused requests with the reason, and faults. */
  readonly logFile?: string | undefined;
  /** Logs every request, too. @default the config's. */
  readonly logsRequests?: true | undefined;
  /** File of a fault plan. @default the config's. */
  readonly faults?: string | undefined;
  readonly faultSeed?: number | undefined;
  /** Duration, milliseconds. @default until a signal or a fault. */
  readonly forMs?: number | undefined;
  readonly onListening?: (exchange: RunningExchange) => void;
}

/** The result of a run. */
export interface ExchangeResult {
  readonly summary: ReturnType<RunningExchange['summary']>;
  /** Message of the fault that stopped the exchange. */
  readonly failure: string | null;
}

/**
 * Runs an exchange to its end.
 * @throws {ConfigError} when a config cannot be used.
 * @throws {UsageError} when the options do not fit.
 * @throws {StorageFault} when another exchange uses the data folder.
 */
export async function runExchange(options: ExchangeRunOptions): Promise<ExchangeResult> {
  const config = exchangeConfig(options);
  const unlock = lockExchangeFolder(config);
  try {
    return await withConfigLines(options.file, () => serveExchange(config, options));
  } finally {
    unlock();
  }
}

function exchangeConfig({ file, dataFolder, faults, faultSeed, logsRequests }: ExchangeRunOptions): ExchangeConfig {
  const config = readExchangeConfig(file);
  const plan = faults === undefined ? config.faults : readFaultPlan(faults);
  if (plan === undefined && faultSeed !== undefined)
    throw new UsageError('--fault-seed: expected a plan of faults, in the config or as --faults, found none');
  return {
    ...config,
    ...(dataFolder === undefined ? {} : { dataFolder: resolve(dataFolder) }),
    ...(logsRequests === true ? { logsRequests: true } : {}),
    ...(plan === undefined ? {} : { faults: { ...plan, seed: faultSeed ?? plan.seed } }),
  };
}

async function serveExchange(config: ExchangeConfig, options: ExchangeRunOptions): Promise<ExchangeResult> {
  const profile = knownProfile(config.profile, 'profile');
  const keys = (options.keys ?? []).map((text) => registerKey(text, profile.signing));
  const isLogged = options.logFile !== undefined || config.logsRequests;
  const log = openLog({ level: isLogged ? 'info' : 'silent', file: options.logFile ?? null });
  const exchange = await startExchange({ config, profile, port: options.port ?? config.port, keys, log });
  options.onListening?.(exchange);
  const { signal, release } = firstStopSignal();
  const timer = timeLimit(options.forMs);
  const cause = await Promise.race([signal, timer.passed, exchange.failed]);
  timer.release();
  release();
  await exchange.stop();
  return { summary: exchange.summary(), failure: cause instanceof Error ? cause.message : null };
}

/** Only the public half of the key reaches the exchange. */
function registerKey(text: string, { scheme, schemes }: Signing): KeyRegistration {
  const [, account, file] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (account === undefined || file === undefined)
    throw new UsageError(`--key: expected account=file, found ${JSON.stringify(text)}`);
  const privateFile = resolve(file);
  if (!existsSync(privateFile)) {
    makeFolder(dirname(privateFile));
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
