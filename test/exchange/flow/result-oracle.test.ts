// Markets of one event group that close at different times: each is determined as soon as possible, one of exclusive
// markets resolves YES, and a restart in between loses nothing.
import { describe, expect, it } from 'vitest';
import { parseExchangeConfig } from '../../../src/config/exchange-config.ts';
import type { Ticker } from '../../../src/domain/ids.ts';
import { ticker } from '../../../src/domain/ids.ts';
import { startFlow } from '../../../src/exchange/session/exchange-driver.ts';
import type { MarketView } from '../../../src/exchange/machine/exchange-output.ts';
import { ApiHarness } from '../api/api-harness.ts';

const MINUTE_MS = 60_000;
const NAMES = ['X', 'Y', 'Z'].map(ticker);

interface Listing {
  readonly seed?: number;
  readonly isExclusive?: boolean;
  /** Further config members of each market, in the order of their names. */
  readonly members?: readonly string[];
}

/** An exchange whose only agents are oracles. */
class OracleHall extends ApiHarness {
  readonly #config;
  #flow;

  constructor({ seed = 7, isExclusive = true, members = NAMES.map(() => 'probability: 0.3') }: Listing = {}) {
    const lines = NAMES.map((name, index) => {
      const closesIn = index === 0 ? '10m' : '30m';
      return `  - { ticker: ${name}, eventGroup: G, title: ${name}?, closesIn: ${closesIn}, settlesAfter: 60s, ${members[index]} }`;
    });
    const config = parseExchangeConfig(
      `
seed: ${seed}
series: [{ ticker: S, title: S, category: S }]
eventGroups: [{ ticker: G, series: S, title: G, exclusive: ${isExclusive} }]
markets:
${lines.join('\n')}
flow: { enabled: true, makersPerMarket: 0, noiseTradesPerMinute: 0, informedTradesPerMinute: 0 }
`,
      '/tmp/exchange.yaml',
    );
    super({ config });
    this.#config = config;
    this.#flow = startFlow(this.session, config, this.setTimer);
  }

  /** Restarts the flow without memory, as after a crash. */
  restartFlow(): void {
    this.#flow.stop();
    this.#flow = startFlow(this.session, this.#config, this.setTimer);
  }

  close(name: Ticker): void {
    this.session.submit({ type: 'close', ticker: name });
  }

  view(name: Ticker): MarketView {
    const view = this.session.exchange.market(name);
    if (view === undefined) throw new Error(`no market ${name}`);
    return view;
  }

  get statuses(): readonly string[] {
    return NAMES.map((name) => this.view(name).status);
  }

  get winners(): readonly Ticker[] {
    return NAMES.filter((name) => this.view(name).result === 'yes');
  }
}

describe('markets of an exclusive group', () => {
  it('are determined half a second after their own close, and paid after their own settlement delay', () => {
    const harness = new OracleHall();
    harness.advance(10 * MINUTE_MS + 450);
    expect(harness.statuses).toEqual(['closed', 'active', 'active']);
    harness.advance(100);
    expect(harness.statuses).toEqual(['determined', 'active', 'active']);
    harness.advance(MINUTE_MS);
    expect(harness.statuses).toEqual(['finalized', 'active', 'active']);
    harness.advance(19 * MINUTE_MS);
    expect(harness.statuses).toEqual(['finalized', 'determined', 'determined']);
    expect(harness.winners).toHaveLength(1);
  });

  it('are determined when they are closed early, whichever closes first', () => {
    for (const [index, name] of NAMES.entries()) {
      const harness = new OracleHall();
      harness.advance(MINUTE_MS);
      harness.close(name);
      harness.advance(450);
      expect(harness.view(name).status).toBe('closed');
      harness.advance(100);
      expect(harness.statuses).toEqual(NAMES.map((_, other) => (other === index ? 'determined' : 'active')));
      // The market closed first is paid long before the others end, and those are determined all the same.
      harness.advance(30 * MINUTE_MS);
      expect(harness.statuses.every((status) => status === 'determined' || status === 'finalized')).toBe(true);
      expect(harness.winners).toHaveLength(1);
    }
  });

  it('have exactly one YES for any seed, even when the flow restarts between their closes', () => {
    const winners = new Set<Ticker>();
    for (let seed = 0; seed < 20; seed++) {
      const harness = new OracleHall({ seed });
      harness.advance(1000);
      harness.close(ticker('X'));
      harness.advance(1000);
      harness.restartFlow();
      harness.close(ticker('Z'));
      harness.advance(1000);
      harness.restartFlow();
      harness.close(ticker('Y'));
      harness.advance(1000);
      expect(harness.statuses).toEqual(['determined', 'determined', 'determined']);
      expect(harness.winners, `seed ${seed}`).toHaveLength(1);
      winners.add(harness.winners[0] ?? ticker('none'));
    }
    expect([...winners].sort()).toEqual(NAMES);
  });

  it('respect a result that the operator has declared', () => {
    const harness = new OracleHall();
    harness.advance(1000);
    harness.close(ticker('Y'));
    harness.session.submit({ type: 'determine', ticker: ticker('Y'), result: 'yes', settlementValue: null });
    harness.close(ticker('X'));
    harness.close(ticker('Z'));
    harness.advance(1000);
    expect(harness.winners).toEqual([ticker('Y')]);
    expect(harness.statuses).toEqual(['determined', 'determined', 'determined']);
  });
});

describe('markets that do not exclude each other', () => {
  it('are determined after their own close', () => {
    const harness = new OracleHall({ isExclusive: false });
    harness.advance(MINUTE_MS);
    harness.close(ticker('Z'));
    harness.advance(600);
    expect(harness.statuses).toEqual(['active', 'active', 'determined']);
    harness.advance(9 * MINUTE_MS);
    expect(harness.statuses).toEqual(['determined', 'active', 'finalized']);
  });

  it('wait for the last close when they are about one number, which is read only then', () => {
    const members = [
      'probability: 0.7, strike: { type: greater, floor: 40 }',
      'probability: 0.5, strike: { type: greater, floor: 50 }',
      'probability: 0.3, strike: { type: greater, floor: 60 }',
    ];
    const harness = new OracleHall({ isExclusive: false, members });
    harness.advance(11 * MINUTE_MS);
    expect(harness.statuses).toEqual(['closed', 'active', 'active']);
    harness.advance(19 * MINUTE_MS + 600);
    expect(harness.statuses).toEqual(['determined', 'determined', 'determined']);
  });
});
