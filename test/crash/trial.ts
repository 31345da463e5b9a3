// One trial: a bot is killed repeatedly at random moments, on one exchange and one data folder. It reports its
// observations as JSON lines. Must never judge by the bot's own output alone: the witness has the exchange's figures.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { type ExchangeConfig, readExchangeConfig } from '../../src/config/exchange-config.ts';
import { generateKeyPair, writeKeyPair } from '../../src/venues/trade-api/signing/key-files.ts';
import { serviceProfile } from '../../src/venues/trade-api/profiles/service-profile.ts';
import { type Line, Presage, ROOT, isTrading } from '../e2e/presage.ts';
import { journaledIds } from './journaled.ts';
import { ACCOUNT, type AccountFigures, Witness, describe } from './witness.ts';

/** Options of a trial. */
export interface TrialOptions {
  readonly times: number;
  readonly seed: number;
  /** Called after each kill. */
  readonly onKill: (count: number) => void;
}

/** Observations of a trial. */
export interface TrialResult {
  readonly kills: number;
  /** Kills before the bot was trading. */
  readonly early: number;
  readonly fills: number;
  readonly orders: number;
  /** Kills without a restart, and the longest time that orders rested after one. Milliseconds. */
  readonly deaths: number;
  readonly restedMsMax: number;
  /** Orders that rested at a kill, summed over all kills. */
  readonly leftResting: number;
  readonly faults: readonly string[];
}

/** Deadline of the watchdog in the config, and the extra time allowed for its requests on a busy machine. */
export const DEADLINE_MS = 2000;
const SLACK_MS = 1500;
/** A kill happens at a random moment up to this long after trading started; an early one, after the process started. */
const LIFE_MS_MAX = 2500;
const EARLY_SHARE = 0.2;
/** Time by which a bot must trade. */
const START_MS_MAX = 30_000;
/** Snapshots of trading, one a second, after which the last run is stopped. */
const LAST_SNAPSHOTS = 4;
/** Span of the exchange's history that is searched for the figures of a restarted bot. */
const LOOKBACK_MS = 5000;
/** One death in this many gets no restart until its orders are gone. */
const DEATH_EVERY = 4;

/** Runs a trial. */
export async function runTrial(options: TrialOptions): Promise<TrialResult> {
  const folder = mkdtempSync(join(tmpdir(), 'presage-crash-'));
  const { privatePem, publicPem } = generateKeyPair(serviceProfile.signing.scheme);
  writeKeyPair(join(folder, 'demo.pem'), { privatePem, publicPem });
  const key = { id: 'demo-key', account: ACCOUNT, scheme: serviceProfile.signing.scheme, publicPem };
  const witness = await Witness.start(exchangeConfig(options.seed), key);
  try {
    return await new Trial(options, witness, folder).run();
  } finally {
    await witness.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const exchangeConfig = (seed: number): ExchangeConfig => ({
  ...readExchangeConfig(join(ROOT, 'config/exchange.yaml')),
  seed,
});

/** A bot's config: the project's own, adapted to this exchange and this folder. */
function writeConfig(folder: string, url: string): string {
  const text = readFileSync(join(ROOT, 'config/local.yaml'), 'utf8')
    .replaceAll('http://127.0.0.1:8790', url)
    .replaceAll('ws://127.0.0.1:8790', url.replace('http', 'ws'))
    .replaceAll('../strategies', resolve(ROOT, 'strategies'))
    .replaceAll('../var', folder)
    .replace('toleranceCents: 1', 'toleranceCents: 0')
    .replace('deadline: 5s', `deadline: ${DEADLINE_MS}ms\n  giveUpAfter: 10s`);
  const file = join(folder, 'bot.yaml');
  writeFileSync(file, text);
  return file;
}

class Trial {
  readonly #options: TrialOptions;
  readonly #witness: Witness;
  readonly #folder: string;
  readonly #config: string;
  readonly #random: () => number;
  readonly #faults: string[] = [];
  #earlyKills = 0;
  #deaths = 0;
  #restedMsMax = 0;
  #leftResting = 0;

  constructor(options: TrialOptions, witness: Witness, folder: string) {
    this.#options = options;
    this.#witness = witness;
    this.#folder = folder;
    this.#config = writeConfig(folder, witness.exchange.url);
    const generator = xoroshiro128plus(options.seed);
    this.#random = () => uniformFloat64(generator);
  }

  async run(): Promise<TrialResult> {
    const { times } = this.#options;
    for (let kill = 1; kill <= times; kill++) {
      await this.#killOnce();
      if (kill % DEATH_EVERY === 0) await this.#checkDeath();
      this.#options.onKill(kill);
    }
    await this.#runToEnd();
    return {
      kills: times,
      early: this.#earlyKills,
      fills: this.#witness.fills,
      orders: this.#witness.clientIds().size,
      deaths: this.#deaths,
      restedMsMax: this.#restedMsMax,
      leftResting: this.#leftResting,
      faults: [...this.#faults, ...this.#duplicates(), ...this.#unjournaled()],
    };
  }

  /** Starts the bot on the files of the last one, compares its figures once it trades, and kills it. */
  async #killOnce(): Promise<void> {
    // Most die while they trade, some during their start.
    const isEarly = this.#random() < EARLY_SHARE;
    const lifeMs = Math.floor(this.#random() * LIFE_MS_MAX);
    const bot = new Presage(['run', '--config', this.#config, '--json']);
    const opened = this.#opened(bot);
    const ended = bot.exited.then((code) => `ended on its own with ${code}: ${bot.stderr}`);
    const hadOpened = await Promise.race([opened.then(() => true), isEarly ? sleep(lifeMs).then(() => false) : ended]);
    if (hadOpened === true) await sleep(lifeMs);
    else this.#earlyKills += 1;
    this.#leftResting += this.#witness.restingCount();
    const fault = await Promise.race([ended, Promise.resolve(null)]);
    if (fault !== null) this.#faults.push(fault);
    bot.kill('SIGKILL');
    await bot.exited;
  }

  /** Resolves when the bot has printed its opening figures, which must equal the exchange's ledger at that time. */
  async #opened(bot: Presage): Promise<void> {
    const line = await Promise.race([bot.line(isTrading).catch(() => null), sleep(START_MS_MAX).then(() => 'late')]);
    // Killed before it opened, or ended on its own, which the caller sees.
    if (line === null) return;
    if (typeof line === 'string') return void this.#faults.push(`no trading within ${START_MS_MAX} ms of a start`);
    const figures = figuresOf(line);
    if (!this.#witness.hadFigures(figures, LOOKBACK_MS))
      this.#faults.push(`after a restart: the bot has ${describe(figures)}; ledger ${this.#witness.describe()}`);
  }

  /** Leaves the bot dead: its watchdog must have canceled everything by the deadline. */
  async #checkDeath(): Promise<void> {
    const diedAt = performance.now();
    const limitMs = DEADLINE_MS + SLACK_MS;
    let lastSeenMs = 0;
    // Watches for longer than the deadline: late cancels count too.
    for (let passedMs = 0; passedMs < limitMs; passedMs = performance.now() - diedAt) {
      if (this.#witness.restingCount() > 0) lastSeenMs = passedMs;
      await sleep(10);
    }
    this.#deaths += 1;
    this.#restedMsMax = Math.max(this.#restedMsMax, lastSeenMs);
    const left = this.#witness.restingCount();
    if (left > 0) this.#faults.push(`${left} orders rest ${Math.round(limitMs)} ms after a death`);
  }

  /** Checks that a last run without a kill ends reconciled. */
  async #runToEnd(): Promise<void> {
    const bot = new Presage(['run', '--config', this.#config, '--json']);
    // One that ends on its own, or does not trade in time, is reported by its exit code.
    const traded = bot.gotLines(LAST_SNAPSHOTS, isTrading).catch(() => undefined);
    await Promise.race([traded, sleep(START_MS_MAX)]);
    const code = await bot.stop();
    if (code !== 0)
      this.#faults.push(`the last run ended with ${code}: ${JSON.stringify(bot.lines.at(-1))} ${bot.stderr}`);
    if (this.#witness.restingCount() > 0) this.#faults.push('orders rest after the last run');
  }

  #duplicates(): string[] {
    return this.#witness.duplicateIds().map((id) => `order ${id} was accepted twice`);
  }

  /** Orders that the exchange accepted must have been on disk before. */
  #unjournaled(): string[] {
    const journaled = journaledIds(join(this.#folder, 'local/journal'));
    return [...this.#witness.clientIds()]
      .filter((id) => !journaled.has(id))
      .map((id) => `order ${id} is in no journal`);
  }
}

function figuresOf(line: Line): AccountFigures {
  const { cash, positions } = (
    line as unknown as {
      account: { cash: number; positions: readonly { ticker: string; qty: number }[] };
    }
  ).account;
  return { cash, positions: new Map(positions.filter(({ qty }) => qty !== 0).map(({ ticker, qty }) => [ticker, qty])) };
}

const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
