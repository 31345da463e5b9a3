// `presage doctor`: looks at everything that trading needs, and says in words what is wrong and what would mend it.
// Must never print a key or a signature, and must never place an order unless --orders says so.
import { Command } from '@commander-js/extra-typings';
import { type BotConfig, readBotConfig } from '../config/bot-config.ts';
import { type Logger, openLog } from '../log.ts';
import type { Check, CheckState } from '../runtime/doctor/check-result.ts';
import { isHealthy } from '../runtime/doctor/check-result.ts';
import type { SessionBudgets } from '../runtime/doctor/account-checks.ts';
import { checkConfig } from '../runtime/doctor/config-checks.ts';
import { runChecks } from '../runtime/doctor/examination.ts';
import type { OtherEnvironment } from '../runtime/doctor/connection-checks.ts';
import type { CheckSubject } from '../runtime/doctor/check-subject.ts';
import { environmentOf } from '../runtime/stages/stage-of-config.ts';
import { SystemClock } from '../runtime/session/system-clock.ts';
import { TickerTable } from '../domain/ids.ts';
import { PooledHttpClient } from '../transport/pooled-http.ts';
import { systemScheduler } from '../transport/scheduler.ts';
import type { Capabilities, RateLimit } from '../venue.ts';
import { TradeApiGateway } from '../venues/trade-api/rest/trade-api-gateway.ts';
import { KeyFault, loadPrivateKey } from '../venues/trade-api/signing/key-files.ts';
import type { WireProfile } from '../venues/trade-api/profiles/wire-profile.ts';
import { type Credential, tradeApiReplayParts, tradeApiVenue } from '../venues/trade-api/trade-api-venue.ts';
import { checklist } from './output/checklist.ts';
import { ExitCode } from './output/exit-code.ts';
import { doctorOutcome, recordStep, stagePositionOf } from '../app/stages/stage-gate.ts';
import { knownProfile, openVenue, venueOrigins } from '../app/venue/open-venue.ts';

interface DoctorOptions {
  readonly config: string;
  readonly orders?: true;
  readonly json?: true;
}

/** The command. */
export function doctorCommand() {
  return new Command('doctor')
    .description(
      'Look at all that trading needs: key, clock, limits, money, markets, feed; say what is wrong in words.',
    )
    .requiredOption('--config <file>', 'the bot’s config')
    .option('--orders', 'place and withdraw the smallest order there is in every open market of the config too')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Without --orders nothing is changed at the venue. With it, a bid for the smallest quantity at the lowest price of each market
is placed, found, withdrawn, and seen to be gone: it rests where nothing trades.

Exit code: 0 nothing is wrong; 1 something is; 2 the config is wrong.

Examples:
  presage doctor --config config/kalshi-demo.yaml
  presage doctor --config config/kalshi-demo.yaml --orders`,
    )
    .action(async (options) => {
      process.exitCode = await runDoctor(options);
    });
}

async function runDoctor(options: DoctorOptions): Promise<number> {
  const config = readBotConfig(options.config);
  const checks = await examineConfig(config, options.orders ?? false);
  const standing = stagePositionOf(config);
  if (standing !== null) await recordStep(config, { ...standing, rung: 'doctor' }, doctorOutcome(checks));
  const text = options.json
    ? JSON.stringify({ isWell: isHealthy(checks), checks })
    : render(checks, process.stdout.columns).join('\n');
  process.stdout.write(`${text}\n`);
  return isHealthy(checks) ? ExitCode.ok : ExitCode.session;
}

/** Examines what a config names. */
export async function examineConfig(config: BotConfig, withOrders: boolean): Promise<Check[]> {
  const profile = knownProfile(config.venue.profile);
  const log = openLog(config.log);
  const key = keyOf(config, profile);
  const opened = await openPatient(config, { profile, log, key });
  const others = othersOf(config, { profile, credential: key.credential });
  try {
    const checks = await runChecks({
      subject: opened.patient,
      markets: config.markets,
      clock: { warnMs: WARN_MS, maxMs: config.clock.offsetMax / 1000 },
      budgets: budgetsOf(config, opened.capabilities),
      others,
      keyProblem: key.problem,
      keyWords: opened.isEmbedded ? 'one is made for each session' : key.words,
      orders: withOrders ? { step: opened.capabilities.qtyStep } : null,
    });
    return [...checkConfig(config), ...checks];
  } finally {
    for (const { gateway } of others) await gateway.stop();
    await opened.close();
    log.flush();
  }
}

/** From where on a clock is told of: half of what is borne everywhere. */
const WARN_MS = 5000;

interface FoundKey {
  readonly credential: Credential | null;
  readonly problem: string | null;
  readonly words: string | null;
}

function keyOf({ venue: { key } }: BotConfig, { signing }: WireProfile): FoundKey {
  if (key === undefined) return { credential: null, problem: null, words: null };
  try {
    const privateKey = loadPrivateKey(key.file, signing.schemes);
    const words = `${key.file}: ${privateKey.scheme}, its owner’s alone`;
    return { credential: { keyId: key.id, privateKey }, problem: null, words };
  } catch (fault) {
    if (!(fault instanceof KeyFault)) throw fault;
    return { credential: null, problem: fault.message.replace(/^key /, ''), words: null };
  }
}

interface Opened {
  readonly patient: CheckSubject;
  readonly capabilities: Capabilities;
  readonly isEmbedded: boolean;
  readonly close: () => Promise<void>;
}

interface Opening {
  readonly profile: WireProfile;
  readonly log: Logger;
  readonly key: FoundKey;
}

async function openPatient(config: BotConfig, { profile, log, key }: Opening): Promise<Opened> {
  const isEmbedded = config.venue.embedded !== undefined;
  const scheduler = systemScheduler;
  const place = isEmbedded ? 'the exchange inside' : placeOf(config.venue);
  if (!isEmbedded && key.credential === null && (key.problem !== null || profile.feed.publicFeedNeedsKey))
    return openWithoutKey(config, { profile, place });
  const opened = await openVenue({ config, log });
  const { venue, hasKey, clock } = opened;
  const { gateway, feed, normalizer, tickers, capabilities } = venue;
  const now = (): ReturnType<typeof clock.now> => clock.now();
  const patient: CheckSubject = { profile, place, gateway, feed, normalizer, tickers, hasKey, now, scheduler };
  const closeAll = async (): Promise<void> => {
    await gateway.stop();
    await opened.close();
  };
  return { patient, capabilities, isEmbedded, close: closeAll };
}

const placeOf = ({ environment, url }: BotConfig['venue']): string => environment ?? url ?? '';

/** What can still be looked at: whether the venue is there, and its markets. */
function openWithoutKey(config: BotConfig, { profile, place }: { profile: WireProfile; place: string }): Opened {
  const clock = new SystemClock();
  const tickers = new TickerTable();
  const gateway = new TradeApiGateway({
    profile,
    http: new PooledHttpClient({ ...CONNECTION, origin: venueOrigins(config.venue, profile).rest }),
    credential: null,
    clock: () => clock.now(),
    orderTimeoutMs: TIMEOUT_MS,
    readTimeoutMs: TIMEOUT_MS,
  });
  const { normalizer, capabilities } = tradeApiReplayParts({ profile, tickers });
  const parts = { profile, place, gateway, normalizer, tickers, scheduler: systemScheduler };
  const patient: CheckSubject = { ...parts, feed: null, hasKey: false, now: () => clock.now() };
  return { patient, capabilities, isEmbedded: false, close: () => gateway.stop() };
}

const TIMEOUT_MS = 10_000;
const CONNECTION = { connections: 2, connectTimeoutMs: 5000, idleMs: 4000, bodyBytesMax: 32 * 1024 * 1024 };

/** The venue's other worlds, where a config is of one of them. */
function othersOf(
  { venue }: BotConfig,
  { profile, credential }: { profile: WireProfile; credential: Credential | null },
): OtherEnvironment[] {
  const world = environmentOf(venue, profile);
  if (world === null || credential === null) return [];
  const clock = new SystemClock();
  return Object.entries(profile.environments)
    .filter(([name]) => name !== world)
    .map(([name, urls]) => {
      const options = { profile, urls, credential, clock: () => clock.now(), random: Math.random };
      return { name, gateway: tradeApiVenue(options).gateway };
    });
}

function budgetsOf({ budgets }: BotConfig, { limits }: Capabilities): SessionBudgets {
  const rate = (limit: RateLimit): number =>
    limit.model === 'token-bucket' ? limit.refillPerSecond : (limit.count * 1000) / limit.windowMs;
  const asked = (own: BotConfig['budgets']['read'], venues: RateLimit): number =>
    budgets.share * (own === undefined ? rate(venues) : (own.count * 1_000_000) / own.window);
  return { readPerSecond: asked(budgets.read, limits.read), tradePerSecond: asked(budgets.trade, limits.trade) };
}

const MARKS: Readonly<Record<CheckState, string>> = { ok: 'ok', warn: 'WARN', bad: 'BAD', skipped: '-' };

/** The checks as lines, each with its remedy below. */
export function render(checks: readonly Check[], width?: number): string[] {
  const items = checks.map(({ state, ...check }) => ({ ...check, mark: MARKS[state] }));
  return [...checklist(items, width), isHealthy(checks) ? 'nothing is wrong' : 'something is wrong'];
}
