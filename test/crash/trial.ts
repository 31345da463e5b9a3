// One trial: a bot that is killed over and over at random moments, on one exchange and one data folder. Says what it saw
// as JSON lines. Must never judge by the bot's own word alone: the witness has the exchange's.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { type ExchangeConfig, readExchangeConfig } from '../../src/config/exchange-config.ts';
import { generateKeyPair, writeKeyPair } from '../../src/venues/trade-api/keys.ts';
import { serviceProfile } from '../../src/venues/trade-api/profiles/service.ts';
import { type Line, Presage, ROOT } from '../e2e/presage.ts';
import { journaledIds } from './journaled.ts';
import { ACCOUNT, type Believed, Witness, describe } from './witness.ts';

/** What a trial is told. */
export interface TrialOptions {
  readonly times: number;
  readonly seed: number;
  /** Told after each kill. */
  readonly onKill: (count: number) => void;
}

/** What a trial saw. */
export interface TrialResult {
  readonly kills: number;
  /** Kills before the bot was trading, and while it was. */
  readonly early: number;
  readonly fills: number;
  readonly orders: number;
  /** Kills after which nobody started the bot again, and how long its orders rested at the most. Milliseconds. */
  readonly deaths: number;
  readonly restedMsMax: number;
  /** Orders that rested at a kill, over all kills. */
  readonly leftResting: number;
  readonly faults: readonly string[];
}

/** What the config gives the watchdog, and what is allowed on top for its requests on a busy machine. */
export const DEADLINE_MS = 2000;
const SLACK_MS = 1500;
/** A kill comes at a random moment up to this long after trading began; of an early one, after the process began. */
const LIFE_MS_MAX = 2500;
const EARLY_SHARE = 0.2;
/** A bot that does not trade by then never will. */
const START_MS_MAX = 30_000;
/** How far back the exchange's history is searched for what a restarted bot believes. */
const LOOKBACK_MS = 5000;
/** One death in so many is not followed by a restart until its orders are gone. */
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

/** A bot's config: the project's own, for this exchange and this folder. */
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
  #early = 0;
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
      if (kill % DEATH_EVERY === 0) await this.#stayDead();
      this.#options.onKill(kill);
    }
    await this.#endWell();
    return {
      kills: times,
      early: this.#early,
      fills: this.#witness.fills,
      orders: this.#witness.clientIds().size,
      deaths: this.#deaths,
      restedMsMax: this.#restedMsMax,
      leftResting: this.#leftResting,
      faults: [...this.#faults, ...this.#doubles(), ...this.#unjournaled()],
    };
  }

  /** Starts the bot on what the last one left, compares what it believes once it trades, and kills it. */
  async #killOnce(): Promise<void> {
    // Most die while they trade, some in the midst of their beginning.
    const isEarly = this.#random() < EARLY_SHARE;
    const lifeMs = Math.floor(this.#random() * LIFE_MS_MAX);
    const bot = new Presage(['run', '--config', this.#config, '--json']);
    const opened = this.#opened(bot);
    const ended = bot.exited.then((code) => `ended by itself with ${code}: ${bot.stderr}`);
    const hadOpened = await Promise.race([opened.then(() => true), isEarly ? sleep(lifeMs).then(() => false) : ended]);
    if (hadOpened === true) await sleep(lifeMs);
    else this.#early += 1;
    this.#leftResting += this.#witness.restingCount();
    const fault = await Promise.race([ended, Promise.resolve(null)]);
    if (fault !== null) this.#faults.push(fault);
    bot.kill('SIGKILL');
    await bot.exited;
  }

  /** Resolves when the bot has said what it opened with, which must be what the exchange's ledger said then. */
  async #opened(bot: Presage): Promise<void> {
    const line = await Promise.race([bot.line(isOpening).catch(() => null), sleep(START_MS_MAX).then(() => 'late')]);
    // Killed before it opened, or ended by itself, which its killer sees.
    if (line === null) return;
    if (typeof line === 'string') return void this.#faults.push(`no trading within ${START_MS_MAX} ms of a start`);
    const believed = believedOf(line);
    if (!this.#witness.wasLately(believed, LOOKBACK_MS))
      this.#faults.push(`after a restart: the bot believes ${describe(believed)}; ledger ${this.#witness.describe()}`);
  }

  /** Nobody starts the bot again: its watchdog must have withdrawn everything by the deadline. */
  async #stayDead(): Promise<void> {
    const diedAt = performance.now();
    const limitMs = DEADLINE_MS + SLACK_MS;
    let lastSeenMs = 0;
    // Looked at for longer than the deadline: what arrives late counts too.
    for (let passedMs = 0; passedMs < limitMs; passedMs = performance.now() - diedAt) {
      if (this.#witness.restingCount() > 0) lastSeenMs = passedMs;
      await sleep(10);
    }
    this.#deaths += 1;
    this.#restedMsMax = Math.max(this.#restedMsMax, lastSeenMs);
    const left = this.#witness.restingCount();
    if (left > 0) this.#faults.push(`${left} orders rest ${Math.round(limitMs)} ms after a death`);
  }

  /** A last run that nobody kills must end reconciled. */
  async #endWell(): Promise<void> {
    const bot = new Presage(['run', '--config', this.#config, '--json', '--for', '4s']);
    const code = await bot.exited;
    if (code !== 0)
      this.#faults.push(`the last run ended with ${code}: ${JSON.stringify(bot.lines.at(-1))} ${bot.stderr}`);
    if (this.#witness.restingCount() > 0) this.#faults.push('orders rest after the last run');
  }

  #doubles(): string[] {
    return this.#witness.doubled().map((id) => `order ${id} was taken twice`);
  }

  /** What the exchange took must have been on disk before. */
  #unjournaled(): string[] {
    const journaled = journaledIds(join(this.#folder, 'local/journal'));
    return [...this.#witness.clientIds()]
      .filter((id) => !journaled.has(id))
      .map((id) => `order ${id} is in no journal`);
  }
}

/** How things stood at the very moment at which trading began. */
const isOpening = (line: Line): boolean => line.type === 'snapshot' && line['phase'] === 'trading';

function believedOf(line: Line): Believed {
  const { cash, positions } = (
    line as unknown as {
      account: { cash: number; positions: readonly { ticker: string; qty: number }[] };
    }
  ).account;
  return { cash, positions: new Map(positions.filter(({ qty }) => qty !== 0).map(({ ticker, qty }) => [ticker, qty])) };
}

const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
