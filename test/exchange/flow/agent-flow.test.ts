// The flow in virtual time: the seed determines it, the books are lively, every invariant holds, and markets resolve
// and pay.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type ExchangeConfig, parseExchangeConfig } from '../../../src/config/exchange-config.ts';
import { eventTicker, ticker } from '../../../src/domain/ids.ts';
import { type Micros, cents, contracts, micros } from '../../../src/domain/units.ts';
import { type SetTimer, openExchange, startFlow } from '../../../src/exchange/session/exchange-driver.ts';
import type { Fact, StepResult } from '../../../src/exchange/machine/exchange-output.ts';
import { RandomStream } from '../../../src/exchange/flow/random-stream.ts';
import { agentNames } from '../../../src/exchange/flow/agent-flow.ts';
import { GroupModel } from '../../../src/exchange/flow/latent-model.ts';
import { START, orderOf } from '../exchange-harness.ts';

const path = fileURLToPath(new URL('../../../config/exchange.yaml', import.meta.url));
const demo = parseExchangeConfig(readFileSync(path, 'utf8'), 'exchange.yaml');
const GROUP = eventTicker('CITY-36');

/** A session in virtual time: timers run in order, and the clock jumps from one to the next. */
class VirtualSession {
  now: Micros;
  readonly results: StepResult[] = [];
  readonly session;
  #pending: { at: number; run: () => void }[] = [];
  readonly #flow;

  constructor(config: ExchangeConfig, startAt: Micros = START) {
    this.now = startAt;
    this.session = openExchange(config, { clock: () => this.now });
    this.session.onStep((result) => this.results.push(result));
    const setTimer: SetTimer = (delayMs, run) => {
      const timer = { at: this.now + delayMs * 1000, run };
      this.#pending.push(timer);
      return () => (this.#pending = this.#pending.filter((each) => each !== timer));
    };
    this.#flow = startFlow(this.session, config, setTimer);
  }

  run(seconds: number, each: () => void = () => undefined): this {
    const end = this.now + seconds * 1_000_000;
    for (;;) {
      const timer = this.#pending.sort((a, b) => a.at - b.at)[0];
      if (timer === undefined || timer.at > end) break;
      this.#pending.shift();
      this.now = micros(timer.at);
      timer.run();
      each();
    }
    this.now = micros(end);
    return this;
  }

  stop(): void {
    this.#flow.stop();
  }

  get facts(): Fact[] {
    return this.results.flatMap((result) => result.facts);
  }

  get pending(): number {
    return this.#pending.length;
  }
}

describe('the flow of the demo', () => {
  const session = new VirtualSession(demo);
  const { exchange } = session.session;
  const markets = exchange.marketsOf(GROUP).map((market) => market.definition.ticker);
  let richest = 0;
  let chances = 0;
  let isRich = false;
  session.run(30, () => {
    const edge = edgeOf(markets.map((name) => exchange.stats(name)));
    richest = Math.max(richest, edge);
    if (edge > 0 && !isRich) chances++;
    isRich = edge > 0;
  });

  it("keeps both sides of every market's book filled", () => {
    for (const { definition } of exchange.markets()) {
      const isShort = definition.ticker === 'RAIN-LIMA-NOW';
      const changes = session.facts.filter(
        (fact) => fact.type === 'book-delta' && fact.ticker === definition.ticker,
      ).length;
      expect(changes / (isShort ? 15 : 30)).toBeGreaterThan(5);
      expect(changes / (isShort ? 15 : 30)).toBeLessThan(60);
      if (isShort) continue;
      const book = exchange.book(definition.ticker);
      expect(book?.bids.length).toBeGreaterThanOrEqual(3);
      expect(book?.asks.length).toBeGreaterThanOrEqual(3);
      expect(exchange.prints(definition.ticker).length).toBeGreaterThan(3);
    }
  });

  it('offers several arbitrages within the group, worth more than the fees', () => {
    expect(chances).toBeGreaterThanOrEqual(3);
    expect(richest).toBeGreaterThan(100);
  });

  it('closes, determines and pays out one market', () => {
    const words = session.facts.flatMap((fact) =>
      fact.type === 'market' && fact.ticker === 'RAIN-LIMA-NOW' ? [`${fact.from} ${fact.to} ${fact.word}`] : [],
    );
    expect(words).toEqual(['active closed null', 'closed determined determined', 'determined finalized settled']);
  });

  it('keeps every invariant, and trades through agent accounts only', () => {
    exchange.audit();
    const agents = new Set(agentNames(demo.flow));
    const { accounts } = exchange.ledger();
    for (const { account, cash, reserved } of accounts) {
      if (account !== 'demo') expect(agents.has(account)).toBe(true);
      expect(cash).toBeGreaterThanOrEqual(reserved);
    }
    expect(accounts.find((each) => each.account === 'demo')?.cash).toBe(10_000_000_000);
  });
});

/**
 * The profit of buying, or selling, one of each market of the group at the touch, after fees; ten-thousandths of a
 * dollar.
 */
function edgeOf(
  stats: readonly ({ bid: { price: number } | null; ask: { price: number } | null } | undefined)[],
): number {
  const net = (prices: (number | undefined)[], sign: 1 | -1): number => {
    if (prices.includes(undefined)) return -Infinity;
    const fees = prices.reduce<number>((sum, at = 0) => sum + (0.5 * 0.07 * at * (10_000 - at)) / 10_000, 0);
    return sign * (prices.reduce<number>((sum, at = 0) => sum + at, 0) - 10_000) - fees;
  };
  return Math.max(
    net(
      stats.map((each) => each?.bid?.price),
      1,
    ),
    net(
      stats.map((each) => each?.ask?.price),
      -1,
    ),
  );
}

describe('the seed of a flow', () => {
  it('determines everything without other traders', () => {
    const [first, second] = [new VirtualSession(demo).run(10), new VirtualSession(demo).run(10)];
    expect(second.results).toEqual(first.results);
    const other = new VirtualSession({ ...demo, seed: 1 }).run(10);
    expect(other.results).not.toEqual(first.results);
  });

  it('determines wakeups and results whatever another trader does', () => {
    const quiet = new VirtualSession(demo).run(20);
    const busy = new VirtualSession(demo);
    const { exchange } = busy.session;
    const trade = () => {
      const ask = exchange.stats(ticker('CITY-36-AHM'))?.ask;
      if (!ask) return;
      const order = orderOf({ ticker: ticker('CITY-36-AHM'), price: ask.price, qty: contracts(5), timeInForce: 'ioc' });
      busy.session.submit({ type: 'place', account: 'demo', order });
    };
    busy.run(5).run(0.001, trade);
    trade();
    busy.run(14.999);
    const resultOf = (each: VirtualSession) => each.session.exchange.market(ticker('RAIN-LIMA-NOW'))?.result;
    expect(resultOf(busy)).toBe(resultOf(quiet));
    expect(exchange.position('demo', ticker('CITY-36-AHM'))?.qty).toBeGreaterThan(0);
    busy.session.exchange.audit();
  });
});

describe('a latent model of exclusive markets', () => {
  const options = {
    name: 'W',
    seed: 3,
    startAt: START,
    config: { ...demo.flow, crowdError: 0.3 },
    markets: [cents(50), cents(30), cents(20)].map((probability, at) => ({ ticker: ticker(`M${at}`), probability })),
    isExclusive: true,
  };
  const names = options.markets.map((market) => market.ticker);
  const all = { known: new Map(), closed: names };

  it("keeps the true probabilities at a sum of one, while the crowd's views deviate", () => {
    const world = new GroupModel(options);
    let wrongest = 0;
    for (let minute = 1; minute <= 20; minute++) {
      world.advanceTo(micros(START + minute * 60_000_000));
      const truth = names.reduce((sum, name) => sum + world.probability(name), 0);
      expect(truth).toBeCloseTo(1, 9);
      wrongest = Math.max(wrongest, Math.abs(names.reduce((sum, name) => sum + world.crowdView(name), 0) - 1));
    }
    expect(wrongest).toBeGreaterThan(0.03);
  });

  it('gives the same probabilities however often it is advanced', () => {
    const [often, once] = [new GroupModel(options), new GroupModel(options)];
    for (let step = 1; step <= 600; step++) often.advanceTo(micros(START + step * 100_000));
    once.advanceTo(micros(START + 60_000_000));
    for (const name of names) expect(often.probability(name)).toBe(once.probability(name));
  });

  it('resolves exactly one market YES', () => {
    const winners = new Set<string>();
    for (let seed = 0; seed < 40; seed++) {
      const results = [...new GroupModel({ ...options, seed }).resolveResults(all)].filter(([, isTrue]) => isTrue);
      expect(results).toHaveLength(1);
      winners.add(results[0]?.[0] ?? '');
    }
    expect(winners.size).toBe(3);
  });

  it('resolves each market YES with its probability, even when markets are resolved one after the other', () => {
    const seeds = Array.from({ length: 3000 }, (_, seed) => seed);
    const wins = new Map(names.map((name) => [name, 0]));
    for (const seed of seeds) {
      const world = new GroupModel({ ...options, seed });
      const results = names.flatMap((name) => [...world.resolveResults({ known: new Map(), closed: [name] })]);
      const won = results.filter(([, isTrue]) => isTrue);
      expect(won).toHaveLength(1);
      for (const [name] of won) wins.set(name, (wins.get(name) ?? 0) + 1);
    }
    const shares = names.map((name) => (wins.get(name) ?? 0) / seeds.length);
    [0.5, 0.3, 0.2].forEach((share, index) => expect(Math.abs((shares[index] ?? 0) - share)).toBeLessThan(0.035));
  });

  it('fixes known results and rescales the other probabilities', () => {
    const [lost, won] = [new GroupModel(options), new GroupModel(options)];
    lost.resolveResults({ known: new Map([[ticker('M0'), false]]), closed: [] });
    const shares = names.map((name) => lost.probability(name));
    expect(shares[0]).toBe(0);
    expect(shares[1]).toBeCloseTo(0.6, 9);
    expect(shares[2]).toBeCloseTo(0.4, 9);
    won.resolveResults({ known: new Map([[ticker('M1'), true]]), closed: [] });
    expect(names.map((name) => won.probability(name))).toEqual([0, 1, 0]);
  });
});

describe('a random stream of the flow', () => {
  it('draws the same for the same seed and name, and differently otherwise', () => {
    const draws = (seed: number, name: string) => {
      const chance = new RandomStream(seed, name);
      return Array.from({ length: 5 }, () => chance.drawUniform());
    };
    expect(draws(1, 'a')).toEqual(draws(1, 'a'));
    expect(draws(1, 'a')).not.toEqual(draws(1, 'b'));
    expect(draws(1, 'a')).not.toEqual(draws(2, 'a'));
    for (const draw of draws(1, 'a')) expect(draw > 0 && draw < 1).toBe(true);
  });
});

describe('a flow on an exchange restarted from its log', () => {
  it('continues with the same accounts, probabilities and results', () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-flow-'));
    try {
      const config = { ...demo, dataFolder: folder };
      const first = new VirtualSession(config).run(8);
      const ledger = first.session.exchange.ledger();
      first.stop();
      const second = new VirtualSession(config, first.now);
      expect(second.session.exchange.ledger().deposited).toBe(ledger.deposited);
      second.run(12);
      second.session.exchange.audit();
      const whole = new VirtualSession(demo).run(20);
      const resultOf = (each: VirtualSession) => each.session.exchange.market(ticker('RAIN-LIMA-NOW'));
      expect(resultOf(second)).toMatchObject({
        status: 'finalized',
        result: resultOf(whole)?.result,
        closeAt: resultOf(whole)?.closeAt,
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('running an exchange', () => {
  it('leaves no timer pending when it is stopped', () => {
    const session = new VirtualSession(demo).run(1);
    session.stop();
    expect(session.pending).toBe(0);
  });

  it('opens and closes markets by the clock without any agents', () => {
    const quiet = { ...demo, flow: { ...demo.flow, enabled: false } };
    const session = new VirtualSession(quiet).run(20);
    expect(session.session.exchange.market(ticker('RAIN-LIMA-NOW'))?.status).toBe('closed');
    expect(session.facts.filter((fact) => fact.type === 'book-delta')).toEqual([]);
  });
});
