// Checks what trading needs: config, strategies, key, clock, limits, money, markets, feed. Must never place an order unless the
// caller requests it.
import { type BotConfig, readBotConfig } from '../../config/bot-config.ts';
import { withConfigLines } from '../../config/yaml.ts';
import { TickerTable } from '../../domain/ids.ts';
import { type Logger, openLog } from '../../log.ts';
import type { SessionBudgets } from '../../runtime/doctor/account-checks.ts';
import { type Check, warnCheck } from '../../runtime/doctor/check-result.ts';
import type { CheckSubject } from '../../runtime/doctor/check-subject.ts';
import { checkConfig } from '../../runtime/doctor/config-checks.ts';
import type { OtherEnvironment } from '../../runtime/doctor/connection-checks.ts';
import { runChecks } from '../../runtime/doctor/examination.ts';
import { budgetLimit, checkSetup } from '../../runtime/session/engine-setup.ts';
import { checkReadRate, checkTradeRate, slowReadsText, unitsPerSecond } from '../../runtime/session/read-rate.ts';
import { SystemClock } from '../../runtime/session/system-clock.ts';
import { environmentOf } from '../../runtime/stages/venue-environment.ts';
import { PooledHttpClient } from '../../transport/pooled-http.ts';
import { systemScheduler } from '../../transport/scheduler.ts';
import type { Capabilities } from '../../venue.ts';
import type { WireProfile } from '../../venues/trade-api/profiles/wire-profile.ts';
import { TradeApiGateway } from '../../venues/trade-api/rest/trade-api-gateway.ts';
import { KeyFault, loadPrivateKey } from '../../venues/trade-api/signing/key-files.ts';
import { tradeApiReplayParts } from '../../venues/trade-api/replay-parts.ts';
import { type Credential, tradeApiVenue } from '../../venues/trade-api/trade-api-venue.ts';
import { strategiesHashOf } from '../../runtime/stages/stage-of-config.ts';
import { doctorOutcome, recordStep, stagePositionOf } from '../stages/stage-gate.ts';
import { watchedLoad } from '../strategy/watched-load.ts';
import { knownProfile } from '../venue/known-profile.ts';
import { openVenue, venueOrigins } from '../venue/open-venue.ts';
import { checkAlerts } from './alert-checks.ts';
import { checkMetrics } from './metrics-checks.ts';
import { checkStrategies } from './strategy-checks.ts';

/**
 * Runs all checks of a config. Records the go-live stage `doctor` if the config's session has a stage.
 * @param withOrders also places and cancels the smallest order in each open market.
 * @throws {ConfigError} when the config cannot be used.
 */
export function runDoctor(file: string, withOrders: boolean): Promise<Check[]> {
  const config = readBotConfig(file);
  return withConfigLines(file, () => examine(file, config, withOrders));
}

async function examine(file: string, config: BotConfig, withOrders: boolean): Promise<Check[]> {
  const strategies = await watchedLoad(() => checkStrategies(file, config));
  const checks = [...strategies, ...(await checkBot(config, withOrders))];
  const position = stagePositionOf(config);
  if (position === null) return checks;
  const hash = await strategiesHashOf(config);
  recordStep(config, { ...position, rung: 'doctor', strategies: hash }, doctorOutcome(checks));
  return checks;
}

async function checkBot(config: BotConfig, withOrders: boolean): Promise<Check[]> {
  const profile = knownProfile(config.venue.profile);
  const metrics = await checkMetrics(config);
  const log = openLog(config.log);
  const key = readKey(config, profile);
  const opened = await openSubject(config, { profile, log, key });
  const others = otherEnvironments(config, { profile, credential: key.credential });
  try {
    const setup = checkSession(config, opened);
    const checks = await runChecks({
      subject: opened.subject,
      markets: config.markets,
      clock: { warnMs: CLOCK_WARN_MS, maxMs: config.clock.offsetMax / 1000 },
      budgets: sessionBudgets(config, opened.capabilities),
      others,
      keyProblem: key.problem,
      keyWords: opened.isEmbedded ? 'one is made for each session' : key.words,
      orders: withOrders ? { step: opened.capabilities.qtyStep } : null,
    });
    return [...checkConfig(config), ...setup, ...checks, ...metrics, ...(await checkAlerts(config))];
  } finally {
    for (const { gateway } of others) await gateway.stop();
    await opened.close();
    log.flush();
  }
}

/**
 * Returns a warning when reads come too late.
 * @throws {ConfigValueFault} for a config that a session would refuse at its start.
 */
function checkSession(config: BotConfig, { subject, capabilities }: OpenedSubject): Check[] {
  const venue = { capabilities, tickers: subject.tickers };
  checkSetup({ config, venue, hasKey: subject.hasKey });
  checkTradeRate(config, capabilities, subject.hasKey);
  const slow = slowReadsText(checkReadRate(config, capabilities, subject.hasKey));
  return slow === null ? [] : [warnCheck('reads', slow, 'raise budgets.read, or lengthen the intervals of upkeep')];
}

const CLOCK_WARN_MS = 5000;

interface ReadKey {
  readonly credential: Credential | null;
  /** Why the key cannot be used. `null` for a usable key, and without a key. */
  readonly problem: string | null;
  readonly words: string | null;
}

function readKey({ venue: { key } }: BotConfig, { signing }: WireProfile): ReadKey {
  if (key === undefined) return { credential: null, problem: null, words: null };
  try {
    const privateKey = loadPrivateKey(key.file, signing.schemes);
    const words = `${key.file}: ${privateKey.scheme}, readable by its owner alone`;
    return { credential: { keyId: key.id, privateKey }, problem: null, words };
  } catch (fault) {
    if (!(fault instanceof KeyFault)) throw fault;
    return { credential: null, problem: fault.message.replace(/^key /, ''), words: null };
  }
}

interface OpenedSubject {
  readonly subject: CheckSubject;
  readonly capabilities: Capabilities;
  readonly isEmbedded: boolean;
  readonly close: () => Promise<void>;
}

interface SubjectOptions {
  readonly profile: WireProfile;
  readonly log: Logger;
  readonly key: ReadKey;
}

async function openSubject(config: BotConfig, { profile, log, key }: SubjectOptions): Promise<OpenedSubject> {
  const isEmbedded = config.venue.embedded !== undefined;
  const scheduler = systemScheduler;
  const place = isEmbedded ? 'the embedded exchange' : placeText(config.venue);
  if (!isEmbedded && key.credential === null && (key.problem !== null || profile.feed.publicFeedNeedsKey))
    return openWithoutKey(config, { profile, place });
  const opened = await openVenue({ config, log });
  const { venue, hasKey, clock } = opened;
  const { gateway, feed, normalizer, tickers, capabilities } = venue;
  const now = (): ReturnType<typeof clock.now> => clock.now();
  const subject: CheckSubject = { profile, place, gateway, feed, normalizer, tickers, hasKey, now, scheduler };
  const close = async (): Promise<void> => {
    await gateway.stop();
    await opened.close();
  };
  return { subject, capabilities, isEmbedded, close };
}

const placeText = ({ environment, url }: BotConfig['venue']): string => environment ?? url ?? '';

function openWithoutKey(config: BotConfig, { profile, place }: { profile: WireProfile; place: string }): OpenedSubject {
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
  const subject: CheckSubject = { ...parts, feed: null, hasKey: false, now: () => clock.now() };
  return { subject, capabilities, isEmbedded: false, close: () => gateway.stop() };
}

const TIMEOUT_MS = 10_000;
const CONNECTION = { connections: 2, connectTimeoutMs: 5000, idleMs: 4000, bodyBytesMax: 32 * 1024 * 1024 };

/** The key may belong to another environment than the config's. */
function otherEnvironments(
  { venue }: BotConfig,
  { profile, credential }: { profile: WireProfile; credential: Credential | null },
): OtherEnvironment[] {
  const environment = environmentOf(venue, profile);
  if (environment === null || credential === null) return [];
  const clock = new SystemClock();
  return Object.entries(profile.environments)
    .filter(([name]) => name !== environment)
    .map(([name, urls]) => {
      const options = { profile, urls, credential, clock: () => clock.now(), random: Math.random };
      return { name, gateway: tradeApiVenue(options).gateway };
    });
}

/** Returns the request rates of a session, for comparison with the account's limits. */
export function sessionBudgets(
  { budgets }: Pick<BotConfig, 'budgets'>,
  { limits }: Pick<Capabilities, 'limits'>,
): SessionBudgets {
  return {
    readPerSecond: unitsPerSecond(budgetLimit(limits.read, budgets, budgets.read)),
    tradePerSecond: unitsPerSecond(budgetLimit(limits.trade, budgets, budgets.trade)),
  };
}
