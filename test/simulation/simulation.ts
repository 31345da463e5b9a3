// One simulation from its seed to its verdict: bot, exchange, network and disk in one process under virtual time. Must
// never depend on anything but the seed: two runs of one seed give the same digest.
import type { ExchangeReader } from '../../src/exchange/machine/exchange-interface.ts';
import { TapeFault } from '../../src/tape/format/tape-fault.ts';
import type { Storage } from '../../src/tape/journal/storage.ts';
import type { Order } from '../../src/domain/orders/order.ts';
import { TRAVEL_MS_MAX } from './bot/bot-config.ts';
import { BotDisk } from './bot/bot-disk.ts';
import { Bot } from './bot/bot.ts';
import { type Dialect, USUAL_DIALECT, dialectNamed } from './dialect.ts';
import { Draws } from './draws.ts';
import { Oracle } from './oracle/oracle.ts';
import { checkReplay } from './oracle/replay-check.ts';
import { ACCOUNT, type PlannedBlow, HALTED_CALM_MS, type Scenario, scenarioOf } from './scenario.ts';
import { SimulatedExchange } from './simulated-exchange.ts';
import { Trace } from './trace.ts';
import type { Violation } from './oracle/verdict.ts';
import { VirtualTime } from './virtual-time.ts';
import { type Trouble, NetworkConditions } from './network/network-conditions.ts';

/** Result of a seed. */
export interface SimulationResult {
  readonly seed: number;
  /** The dialect of the exchange. */
  readonly dialect: string;
  readonly digest: string;
  readonly violation: Violation | null;
  /** The last trace lines; empty when every invariant held. */
  readonly tail: readonly string[];
  readonly virtualMs: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** One simulation in this many has its journal replayed. */
const REPLAYED_EVERY = 4;
/** Interval of the oracle's checks. */
const CHECK_MS = 500;
/** Time that the bot may take to be back at work after trouble. */
const RECOVERY_MS = 45_000;
/** Time for which it is watched at work before it is stopped. */
const WATCHED_MS = 3000;
const STOP_MS = 25_000;
/** Bytes into its next writes at which a journal is torn. */
const TORN_BYTES = 700;
/** Time until the supervisor starts the bot again. */
const RESTART_MS = 1000;
/** Kinds of trouble that let requests arrive in bunches, long after the bot's budget counted them. */
const DELAYING: ReadonlySet<Trouble> = new Set<Trouble>(['slowness', 'loss', 'partition']);
/** Longest time that a bot marked to die waits for its moment. */
const DOOM_MS = 1000;

export interface RunOptions {
  /** Name of the profile. */
  readonly dialect?: string;
  /** Number of the last lines shown with a failure. */
  readonly tailLines?: number;
  /** Receives every line as it happens. */
  readonly onLine?: ((line: string) => void) | undefined;
}

/** Runs a seed. */
export async function runSimulation(
  seed: number,
  { dialect: name = USUAL_DIALECT, tailLines = 60, onLine }: RunOptions = {},
): Promise<SimulationResult> {
  const dialect = dialectNamed(name);
  const world = new Simulation(scenarioOf(seed, dialect), { dialect, onLine });
  try {
    await world.run();
  } catch (fault) {
    world.oracle.verdict.fail('SOUND', describe(fault));
  }
  return world.result(tailLines);
}

/** A simulation. */
export class Simulation {
  readonly oracle: Oracle;
  readonly #scenario: Scenario;
  readonly #dialect: Dialect;
  readonly #time: VirtualTime;
  readonly #trace: Trace;
  readonly #network: NetworkConditions;
  readonly #site: SimulatedExchange;
  readonly #skewMs: number;
  readonly #disk: BotDisk;
  #bot: Bot | null = null;
  #lives = 0;
  #rateExcusedUntilMs = 0;
  #isStopping = false;
  #isWorking = false;

  constructor(scenario: Scenario, { dialect, onLine }: { readonly dialect: Dialect } & Pick<RunOptions, 'onLine'>) {
    const { seed, exchange, spells, latencyMs, jitterMs } = scenario;
    const { profile } = dialect;
    this.#scenario = scenario;
    this.#dialect = dialect;
    this.#time = new VirtualTime(seed);
    const now = (): number => this.#time.elapsedMs;
    this.#trace = new Trace(now, onLine);
    this.oracle = new Oracle({
      profile,
      trace: this.#trace,
      now,
      excusesRate: () => this.#excusesRate(),
      onDoomed: (bot) => this.#endDoomed(bot),
    });
    this.#disk = new BotDisk(profile, () => this.#time.now());
    const draws = new Draws(seed, 'network');
    const distance = { latencyMs, jitterMs };
    this.#skewMs = draws.happens(0.3) ? draws.between(-800, 800) : 0;
    this.#network = new NetworkConditions({
      spells,
      distance,
      draws,
      trace: this.#trace,
      now,
      latestMs: TRAVEL_MS_MAX,
    });
    const { onOp, onStep, truth } = this.oracle;
    const onUp = (up: ExchangeReader): void => truth.catchUp(up);
    this.#site = new SimulatedExchange({
      config: exchange,
      profile,
      account: ACCOUNT,
      time: this.#time,
      trace: this.#trace,
      onOp,
      onUp,
      onStep,
    });
  }

  async run(): Promise<void> {
    const { calmMs, blows, spells } = this.#scenario;
    for (const blow of blows) this.#time.later(blow.atMs, () => this.#applyBlow(blow), true);
    for (const spell of spells) {
      this.#time.later(
        spell.fromMs,
        () => {
          this.#trace.addCount(`spell: ${spell.trouble}`);
          if (spell.trouble === 'cut') this.#bot?.cutStreams();
          if (spell.trouble === 'half-open') this.#bot?.silenceStreams();
        },
        true,
      );
    }
    this.#time.later(0, () => this.#startLife(), true);
    this.#checkNow();
    await this.#until(calmMs);
    await this.#until(calmMs + RECOVERY_MS, () => this.#isWorking);
    this.#requireWork();
    await this.#until(this.#time.elapsedMs + WATCHED_MS);
    await this.#stop();
  }

  #until(atMs: number, isOver: () => boolean = () => false): Promise<void> {
    const { verdict } = this.oracle;
    return this.#time.run(atMs, () => verdict.isOver || isOver());
  }

  /** Starts a life of the bot. */
  #startLife(): void {
    this.#lives += 1;
    const { seed, strategies, resendsUnknown, movesByAmend, batches, emptiesFirstPositions } = this.#scenario;
    if (emptiesFirstPositions) this.#site.emptyNextPositions();
    this.#bot = new Bot({
      time: this.#time,
      network: this.#network,
      site: this.#site,
      trace: this.#trace,
      dialect: this.#dialect,
      seed,
      number: this.#lives,
      strategies,
      resendsUnknown,
      movesByAmend,
      batches,
      skewMs: this.#skewMs,
      disk: this.#disk.open(),
      written: this.oracle.written,
      onKill: () => this.#disk.onDeath(),
      watcher: this.oracle,
    });
    this.oracle.watchBot(this.#bot);
  }

  /**
   * Halts and resumes as the operator's commands do: by the latch, and by the bot's control interface while it lives.
   */
  #setHalt(isHalted: boolean): void {
    const bot = this.#bot?.isAlive === true ? this.#bot : null;
    const { latch } = this.#disk;
    const by = { scope: { type: 'account' }, reason: 'the simulation says so' } as const;
    if (isHalted) {
      latch.writeHaltFile(by.reason);
      bot?.session.submitOperatorOrder({ type: 'halt', by: 'operator', ...by });
    } else if (bot === null || bot.isEnding) latch.liftHalts(by.scope);
    else bot.session.submitOperatorOrder({ type: 'resume', ...by });
    this.oracle.halt.setHalted(isHalted);
  }

  #applyBlow(blow: PlannedBlow): void {
    this.#trace.recordEvent('blow', JSON.stringify(blow));
    this.#trace.addCount(`blow: ${blow.type}`);
    switch (blow.type) {
      case 'kill':
        return this.#kill(blow);
      case 'halt-bot':
        this.#setHalt(true);
        this.#time.later(blow.forMs, () => this.#setHalt(false), true);
        return;
      case 'disk-full':
        this.#disk.setRoom(blow.bytes);
        this.#time.later(blow.forMs, () => this.#disk.setRoom(null));
        return;
      case 'cancel-all':
        if (this.#bot?.isAlive)
          this.#bot.session.submitOperatorOrder({
            type: 'cancel-all',
            scope: { type: 'account' },
            reason: 'the simulation says so',
          });
    }
  }

  #kill({ moment, downMs }: Extract<PlannedBlow, { type: 'kill' }>): void {
    const bot = this.#bot;
    if (!bot?.isAlive || bot.isKillPlanned) return;
    bot.killAt(moment);
    if (moment === 'tearing') this.#disk.tearAfter(TORN_BYTES);
    // The moment it waits for may not come: it dies then at the latest.
    this.#time.later(DOOM_MS, () => bot.kill());
    this.#time.later(
      DOOM_MS + downMs,
      () => {
        this.#startSuccessor(bot);
      },
      true,
    );
  }

  /** Starts a life after another, unless that has a successor already: it may have died during its stop. */
  #startSuccessor(bot: Bot): void {
    if (this.#bot !== bot) return;
    // Requests of the dead process may still arrive, and count in the exchange's windows.
    this.#rateExcusedUntilMs = this.#time.elapsedMs + TRAVEL_MS_MAX + 2000;
    this.#startLife();
  }

  /** Stops a session that can only be stopped, and starts it again as a supervisor would. */
  #endDoomed(bot: Bot): void {
    bot.stop(STOP_MS);
    const wait = (): void => {
      if (!bot.isAlive) return;
      if (bot.end === null) return void this.#time.later(100, wait, true);
      const { end } = bot;
      this.#trace.addCount(`ended: ${end.type}`);
      if (end.type === 'fault' && !isFull(end.fault))
        this.oracle.verdict.fail('SOUND', `the session ended by a fault: ${describe(end.fault)}`);
      bot.kill();
      this.#restart(bot);
    };
    wait();
  }

  /** Starts a new life once there is room for the journal. */
  #restart(bot: Bot): void {
    this.#time.later(
      RESTART_MS,
      () => {
        if (this.#disk.isFull) return this.#restart(bot);
        this.#startSuccessor(bot);
      },
      true,
    );
  }

  #excusesRate(): boolean {
    const { spells } = this.#scenario;
    const now = this.#time.elapsedMs;
    const isLate = spells.some(
      ({ trouble, fromMs, untilMs }) => DELAYING.has(trouble) && fromMs <= now && now <= untilMs + 5000,
    );
    return isLate || this.#bot?.isEnding === true || now < this.#rateExcusedUntilMs;
  }

  #checkNow(): void {
    const bot = this.#bot;
    if (bot?.isAlive && this.#time.elapsedMs > this.#scenario.calmMs + HALTED_CALM_MS) this.#recordWork(bot);
    if (bot?.isAlive && !bot.isEnding) this.oracle.books.compare(bot.session.engine);
    if (this.#site.isUp) this.oracle.halt.checkResting(this.#site.exchange, this.#scenario.calmMs);
    if (!this.#isStopping) this.#time.later(CHECK_MS, () => this.#checkNow());
  }

  /** Records that the bot is at work: ready to trade, and quoting. */
  #recordWork({ session: { engine } }: Bot): void {
    if (this.oracle.halt.isHalted || engine.session.readiness().type !== 'ready') return;
    const isQuoting = ({ state, strategy }: Order): boolean => state === 'working' && strategy === 'quoter';
    this.#isWorking ||= engine.state.orders.allOpen().some(isQuoting);
  }

  #requireWork(): void {
    const engine = this.#bot?.session.engine;
    const where = (): string => `${engine?.session.phase}, ${JSON.stringify(engine?.session.readiness())}`;
    this.oracle.verdict.require(
      this.#isWorking,
      'LIVE',
      () => `no quote ${RECOVERY_MS} ms after trouble ended: ${where()}`,
    );
  }

  async #stop(): Promise<void> {
    const { verdict } = this.oracle;
    const bot = this.#bot;
    if (verdict.isOver || bot === null) return;
    this.#isStopping = true;
    this.#trace.recordEvent('stopping');
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
    await this.#replay();
  }

  /** Replays a sample of all simulations: a replay takes as long as the engine did. */
  async #replay(): Promise<void> {
    if (this.#scenario.seed % REPLAYED_EVERY !== 0) return;
    const { commands } = await checkReplay(this.#disk.readJournal(), this.oracle.verdict);
    this.#trace.addCount('replayed commands', commands);
  }

  /** The journal of all lives, for reading after the run. */
  readJournal(): Storage {
    return this.#disk.readJournal();
  }

  /** The exchange, with its own ledger. */
  get exchange(): ExchangeReader {
    return this.#site.exchange;
  }

  result(tailLines: number): SimulationResult {
    const { verdict, truth, counts, books } = this.oracle;
    return {
      seed: this.#scenario.seed,
      dialect: this.#dialect.profile.name,
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
        'books compared': books.compared,
        ...counts,
      },
    };
  }
}

/** True when a session ended because its disk was full, which is correct. */
const isFull = (fault: unknown): boolean => fault instanceof TapeFault && fault.message.includes('ENOSPC');

const describe = (fault: unknown): string => (fault instanceof Error ? (fault.stack ?? fault.message) : String(fault));
