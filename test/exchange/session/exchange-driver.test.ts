// Opening and running an exchange: real timers, listeners, and a config that cannot be listed.
import { describe, expect, it } from 'vitest';
import { type ExchangeConfig, parseExchangeConfig } from '../../../src/config/exchange-config.ts';
import { ticker } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/units.ts';
import { ListingError, openExchange, startFlow } from '../../../src/exchange/session/exchange-driver.ts';
import type { StepResult } from '../../../src/exchange/machine/exchange-output.ts';
import { type OpenedInputStore, memoryStore } from '../../../src/exchange/store/input-store.ts';
import { START } from '../exchange-harness.ts';

const config = (market: string): ExchangeConfig =>
  parseExchangeConfig(
    `
seed: 9
series: [{ ticker: RAIN, title: Rain, category: Weather }]
eventGroups: [{ ticker: RAIN-26, series: RAIN, title: Rain }]
markets: [{ ticker: A, eventGroup: RAIN-26, title: Rain?, probability: 0.5, ${market} }]
flow: { changesPerSecond: 200 }
`,
    'exchange.yaml',
  );

function maintenanceOf(window: string): Pick<ExchangeConfig, 'maintenance'> {
  const { maintenance } = parseExchangeConfig(
    `
seed: 9
series: [{ ticker: RAIN, title: Rain, category: Weather }]
churn: [{ series: RAIN, every: 1h, lifetime: 1h }]
maintenance: [{ from: ${window} }]
`,
    'exchange.yaml',
  );
  return { maintenance };
}

/** Runs an exchange with maintenance from 10:00 to 12:00, whose time moves by hand. */
function startWithMaintenance(store: OpenedInputStore, startsAt = '09:00:00') {
  const window = '2027-01-01T10:00:00Z, until: 2027-01-01T12:00:00Z';
  const listed = config('closesAt: 2028-01-01T00:00:00Z');
  const options = { ...listed, ...maintenanceOf(window), flow: { ...listed.flow, enabled: false } };
  const at = (text: string) => micros(Date.parse(`2027-01-01T${text}Z`) * 1000);
  let now = at(startsAt);
  let runTimer = (): void => undefined;
  const session = openExchange(options, { clock: () => now, store });
  const flow = startFlow(session, options, (_delayMs, run) => {
    runTimer = run;
    return () => undefined;
  });
  return {
    isTradingAt: (text: string): boolean => {
      now = at(text);
      runTimer();
      return session.exchange.isTrading;
    },
    pause: () => session.submit({ type: 'set-exchange', isActive: true, isTrading: false }),
    close: (): void => {
      flow.stop();
      session.close();
    },
  };
}

describe('an exchange opened from a config', () => {
  it('runs its flow on real timers until it is stopped', async () => {
    const session = openExchange(config('closesIn: 1h'));
    const flow = startFlow(session, config('closesIn: 1h'));
    await new Promise<void>((resolve) => {
      const unsubscribe = session.onStep((result) => {
        if (!result.facts.some((fact) => fact.type === 'print')) return;
        unsubscribe();
        resolve();
      });
    });
    flow.stop();
    const { seq } = session.exchange;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(session.exchange.seq).toBe(seq);
    expect(session.exchange.prints(ticker('A')).length).toBeGreaterThan(0);
    session.exchange.audit();
    session.close();
  });

  it('starts again when a market of the config was paid out and removed long ago', () => {
    const store = memoryStore(7);
    const closesAt = 'closesAt: 2027-01-01T10:00:00Z';
    let now = micros(Date.parse('2027-01-01T09:00:00Z') * 1000);
    const first = openExchange(config(closesAt), { clock: () => now, store });
    now = micros(now + 7_200_000_000);
    const name = ticker('A');
    first.submit({ type: 'determine', ticker: name, result: 'no', settlementValue: null });
    first.submit({ type: 'settle', ticker: name });
    now = micros(now + 1_000_000);
    first.submit({ type: 'forget', settledBefore: now });
    first.close();
    const again = openExchange(config(closesAt), { clock: () => now, store });
    expect(again.exchange.markets()).toEqual([]);
    expect(() => openExchange(config(closesAt), { clock: () => now })).toThrow('it closes before it opens');
  });

  it.each([
    ['a log', memoryStore(7)],
    ['images', memoryStore(7, 1)],
  ])('in %s lists a market with closesIn once: not again when it was paid out and removed', (_, store) => {
    let now = micros(Date.parse('2027-01-01T09:00:00Z') * 1000);
    const clock = () => now;
    const listed = config('closesIn: 1h');
    const first = openExchange(listed, { clock, store });
    now = micros(now + 7_200_000_000);
    first.submit({ type: 'determine', ticker: ticker('A'), result: 'no', settlementValue: null });
    first.submit({ type: 'settle', ticker: ticker('A') });
    now = micros(now + 1_000_000);
    first.submit({ type: 'forget', settledBefore: now });
    first.close();
    const again = openExchange(listed, { clock, store });
    expect([again.exchange.markets().length, again.exchange.groups().length]).toEqual([0, 0]);
    again.close();
    const [market] = listed.markets;
    const added = { ...listed, markets: market === undefined ? [] : [market, { ...market, ticker: 'B' }] };
    const last = openExchange(added, { clock, store });
    expect(last.exchange.markets().map(({ definition }) => definition.ticker)).toEqual(['B']);
    startFlow(last, added).stop();
    last.close();
  });

  it('stamps inputs with a time that never goes back', () => {
    const times = [5, 6, 7, 8, 9, 3, 10].map((step) => micros(START + step));
    const session = openExchange(config('closesIn: 1h'), { clock: () => times.shift() ?? micros(START + 10) });
    const results: StepResult[] = [];
    session.onStep((result) => results.push(result));
    for (let i = 0; i < 4; i++) session.submit({ type: 'tick' });
    const stamps = results.map((result) => result.at);
    expect(stamps).toEqual([...stamps].sort((a, b) => a - b));
  });

  it("pauses trading during maintenance, resumes afterwards, and leaves an operator's pause alone", () => {
    const { isTradingAt, pause, close } = startWithMaintenance(memoryStore(7));
    expect(['09:59:59', '10:00:00', '11:59:59', '12:00:00'].map(isTradingAt)).toEqual([true, false, false, true]);
    pause();
    expect(isTradingAt('13:00:00')).toBe(false);
    close();
  });

  it.each([
    ['a log', memoryStore(7)],
    ['images', memoryStore(7, 1)],
  ])(
    "in %s ends a maintenance that began before a restart, and leaves an operator's pause from then alone",
    (_, store) => {
      const first = startWithMaintenance(store);
      expect(first.isTradingAt('10:00:00')).toBe(false);
      first.close();
      const second = startWithMaintenance(store, '11:00:00');
      expect(['11:59:59', '12:00:00'].map(second.isTradingAt)).toEqual([false, true]);
      second.pause();
      second.close();
      const third = startWithMaintenance(store, '13:00:00');
      expect(third.isTradingAt('13:00:01')).toBe(false);
      third.close();
    },
  );

  it("leaves an operator's pause alone that was in force before the maintenance and a restart within it", () => {
    const store = memoryStore(7);
    const first = startWithMaintenance(store);
    first.pause();
    expect(first.isTradingAt('10:00:00')).toBe(false);
    first.close();
    const second = startWithMaintenance(store, '11:00:00');
    expect(second.isTradingAt('12:00:00')).toBe(false);
    second.close();
  });

  it('ends a maintenance of an image that does not say who has paused, as those of 0.1.0', () => {
    const kept = memoryStore(7, 1);
    const store: OpenedInputStore = {
      ...kept,
      isLong: true,
      replaceWithImage: ({ isMaintenance: _paused, ...image }) => kept.replaceWithImage(image),
    };
    const first = startWithMaintenance(store);
    expect(first.isTradingAt('10:00:00')).toBe(false);
    first.close();
    const second = startWithMaintenance(store, '12:00:00');
    expect(second.isTradingAt('12:00:01')).toBe(true);
    second.close();
  });

  it('names what could not be listed, and why', () => {
    const late = config('closesAt: 2020-01-01T00:00:00Z');
    const store = memoryStore(7);
    expect(() => openExchange(late, { store })).toThrow(ListingError);
    expect(() => openExchange(late)).toThrow('the exchange refused define-market: market A: it closes before it opens');
    const again = openExchange(config('closesIn: 1h'), { store });
    expect(again.exchange.statusOf(ticker('A'))).toBe('active');
    again.close();
  });
});
