// One simulated world from its seed to its verdict: bot, exchange, network and disk in one process under virtual time.
// Must never depend on anything but the seed: two runs of one seed give the same digest.
import { NOTHING_CARRIED } from '../../src/domain/operator.ts';
import { serviceProfile } from '../../src/venues/trade-api/profiles/service.ts';
import type { WireProfile } from '../../src/venues/trade-api/profile.ts';
import { ticker } from '../../src/domain/ids.ts';
import { TRAVEL_MS_MAX } from './bot-config.ts';
import { Bot } from './bot.ts';
import { Draws } from './draws.ts';
import { Oracle } from './oracle.ts';
import { ACCOUNT, type Blow, type Scenario, scenarioOf } from './scenario.ts';
import { Site } from './site.ts';
import { Trace } from './trace.ts';
import type { Violation } from './verdict.ts';
import { VirtualTime } from './virtual-time.ts';
import { Weather } from './weather.ts';

/** What came of a seed. */
export interface Outcome {
  readonly seed: number;
  readonly digest: string;
  readonly violation: Violation | null;
  /** The last lines of what happened; empty when all is well. */
  readonly tail: readonly string[];
  readonly virtualMs: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** The venue's pings come more often than usual, for silence is shorter. */
const PROFILE: WireProfile = { ...serviceProfile, feed: { ...serviceProfile.feed, pingEveryMs: 2000 } };
/** How often the oracle looks. */
const LOOK_MS = 500;
/** How long trouble may take to be over for the bot. */
const BACK_MS = 20_000;
const STOP_MS = 25_000;

/** Runs a seed. */
export async function runWorld(seed: number, tailLines = 60): Promise<Outcome> {
  const world = new World(scenarioOf(seed));
  try {
    await world.run();
  } catch (fault) {
    world.oracle.verdict.fail('SOUND', fault instanceof Error ? (fault.stack ?? fault.message) : String(fault));
  }
  return world.outcome(tailLines);
}

/** A world. */
export class World {
  readonly oracle: Oracle;
  readonly #scenario: Scenario;
  readonly #time: VirtualTime;
  readonly #trace: Trace;
  readonly #weather: Weather;
  readonly #site: Site;
  readonly #skewMs: number;
  #bot: Bot | null = null;
  #lives = 0;
  #rateExcusedUntilMs = 0;
  #isStopping = false;
  #hasQuoted = false;

  constructor(scenario: Scenario) {
    const { seed, exchange, spells, latencyMs, jitterMs } = scenario;
    this.#scenario = scenario;
    this.#time = new VirtualTime(seed);
    const now = (): number => this.#time.elapsedMs;
    this.#trace = new Trace(now);
    this.oracle = new Oracle({ trace: this.#trace, now, excusesRate: () => this.#excusesRate() });
    const draws = new Draws(seed, 'network');
    const distance = { latencyMs, jitterMs };
    this.#skewMs = draws.happens(0.3) ? draws.between(-800, 800) : 0;
    this.#weather = new Weather({ spells, distance, draws, trace: this.#trace, now, latestMs: TRAVEL_MS_MAX });
    const { onOp, onStep } = this.oracle;
    this.#site = new Site({
      config: exchange,
      profile: PROFILE,
      account: ACCOUNT,
      time: this.#time,
      trace: this.#trace,
      onOp,
      onStep,
    });
  }

  async run(): Promise<void> {
    const { calmMs, stopMs, blows, spells } = this.#scenario;
    for (const blow of blows) this.#time.later(blow.atMs, () => this.#strike(blow), true);
    for (const spell of spells) {
      this.#time.later(
        spell.fromMs,
        () => {
          this.#trace.count(`spell: ${spell.trouble}`);
          if (spell.trouble === 'cut') this.#bot?.cutStreams();
          if (spell.trouble === 'half-open') this.#bot?.silenceStreams();
        },
        true,
      );
    }
    this.#live();
    this.#look();
    await this.#until(calmMs);
    await this.#until(calmMs + BACK_MS);
    this.#requireWork();
    await this.#until(stopMs);
    await this.#stop();
  }

  #until(atMs: number, isOver: () => boolean = () => false): Promise<void> {
    const { verdict } = this.oracle;
    return this.#time.run(atMs, () => verdict.isOver || isOver());
  }

  /** Begins a life of the bot. */
  #live(): void {
    this.#lives += 1;
    const { seed, strategies } = this.#scenario;
    this.#bot = new Bot({
      time: this.#time,
      weather: this.#weather,
      site: this.#site,
      trace: this.#trace,
      profile: PROFILE,
      seed,
      number: this.#lives,
      strategies,
      skewMs: this.#skewMs,
      journal: null,
      written: this.oracle.written,
      carried: NOTHING_CARRIED,
      watcher: this.oracle,
    });
    this.oracle.watch(this.#bot);
  }

  #strike(blow: Blow): void {
    this.#trace.note('blow', JSON.stringify(blow));
    this.#trace.count(`blow: ${blow.type}`);
    switch (blow.type) {
      case 'kill':
        return this.#kill(blow);
      case 'crash-exchange':
        if (!this.#site.isUp) return;
        this.#site.crash();
        this.#time.later(blow.downMs, () => this.#site.start());
        return;
      case 'halt-market':
        this.#site.operate({ type: 'halt', ticker: ticker(blow.ticker) });
        this.#time.later(blow.forMs, () => this.#site.operate({ type: 'resume', ticker: ticker(blow.ticker) }));
        return;
      case 'close-market':
        return this.#site.operate({ type: 'close', ticker: ticker(blow.ticker) });
      case 'pause-exchange':
        this.#site.operate({ type: 'set-exchange', isActive: true, isTrading: false });
        this.#time.later(blow.forMs, () =>
          this.#site.operate({ type: 'set-exchange', isActive: true, isTrading: true }),
        );
        return;
      case 'dispute-market':
      case 'halt-bot':
      case 'cancel-all':
    }
  }

  #kill({ moment, downMs }: Extract<Blow, { type: 'kill' }>): void {
    const bot = this.#bot;
    if (!bot?.isAlive) return;
    bot.doom(moment);
    // Whatever it waits for may not come: it dies at the latest then.
    this.#time.later(1000, () => {
      bot.kill();
      this.#rateExcusedUntilMs = this.#time.elapsedMs + downMs + TRAVEL_MS_MAX + 2000;
    });
    this.#time.later(1000 + downMs, () => this.#live(), true);
  }

  #excusesRate(): boolean {
    const { spells } = this.#scenario;
    const now = this.#time.elapsedMs;
    const isSlow = spells.some(
      ({ trouble, fromMs, untilMs }) => trouble === 'slowness' && fromMs <= now && now <= untilMs + 5000,
    );
    return isSlow || now < this.#rateExcusedUntilMs;
  }

  #look(): void {
    const bot = this.#bot;
    if (bot?.isAlive && this.#time.elapsedMs > this.#scenario.calmMs + 5000) this.#noteWork(bot);
    if (bot?.isAlive) this.oracle.books.compare(bot.session.engine);
    if (!this.#isStopping) this.#time.later(LOOK_MS, () => this.#look());
  }

  #noteWork({ session: { engine } }: Bot): void {
    this.#hasQuoted ||= engine.state.orders
      .allOpen()
      .some(({ state, strategy }) => state === 'working' && strategy === 'quoter');
  }

  #requireWork(): void {
    const { verdict } = this.oracle;
    if (verdict.isOver) return;
    const bot = this.#bot;
    const phase = bot?.session.engine.session.phase;
    verdict.require(phase === 'trading', 'LIVE', () => `the bot is ${phase} ${BACK_MS} ms after trouble ended`);
    verdict.require(this.#hasQuoted, 'LIVE', () => 'nothing was quoted since trouble ended');
  }

  async #stop(): Promise<void> {
    const { verdict } = this.oracle;
    const bot = this.#bot;
    if (verdict.isOver || bot === null) return;
    this.#isStopping = true;
    this.#trace.note('stopping');
    bot.stop(STOP_MS);
    await this.#until(this.#time.elapsedMs + STOP_MS + 5000, () => bot.end !== null);
    if (verdict.isOver) return;
    const { end } = bot;
    const { exchange } = this.#site;
    verdict.require(end?.type === 'stopped' && end.isReconciled, 'I1', () => `the bot ended ${JSON.stringify(end)}`);
    const resting = exchange.restingOrders(ACCOUNT);
    verdict.require(resting.length === 0, 'I1', () => `${resting.length} orders rest after the end`);
    this.oracle.compareMoney(bot, exchange, 'at the end');
    exchange.audit();
  }

  outcome(tailLines: number): Outcome {
    const { verdict, truth, counts, books } = this.oracle;
    return {
      seed: this.#scenario.seed,
      digest: this.#trace.digest,
      violation: verdict.violation,
      tail: verdict.violation === null ? [] : this.#trace.tail(tailLines),
      virtualMs: this.#time.elapsedMs,
      counts: {
        ...this.#trace.counts,
        events: this.#time.happened,
        lives: this.#lives,
        orders: truth.orders,
        fills: truth.fills,
        settlements: truth.settlements,
        'continuity breaks': books.breaks,
        ...counts,
      },
    };
  }
}
