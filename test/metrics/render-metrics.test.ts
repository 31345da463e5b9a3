// The text of a scrape: what Prometheus accepts, each value in its unit, and a bound on the number of series.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { RISK_LIMITS } from '../../src/risk/risk-limits.ts';
import { type BotFigures, STRATEGY_LIMITS_MAX, botFigures, parseBotFigures } from '../../src/metrics/bot-figures.ts';
import { GC_BOUNDS, GC_KINDS, type MachineFigures } from '../../src/metrics/machine-meter.ts';
import { BOT_METRICS, OWN_METRICS } from '../../src/metrics/metric-table.ts';
import { type MetricSources, renderMetrics } from '../../src/metrics/render-metrics.ts';
import { COUNTED_STATES, TradeCounts } from '../../src/metrics/trade-counts.ts';
import { LatencyHistogram } from '../../src/runtime/session/latency-histogram.ts';
import { SessionMeter } from '../../src/runtime/session/session-meter.ts';
import { approvedOrder } from '../../src/state/account/order-records.ts';
import { Portfolio } from '../../src/state/account/portfolio.ts';
import { M0, aFill, aPlace } from '../support/engine/builders.ts';
import { liveSession } from '../support/metrics/live-session-figures.ts';

const MACHINE: MachineFigures = {
  loopLag: { p50: 0.001, p99: 0.02, max: 0.3 },
  loopUse: 0.25,
  residentBytes: 100_000_000,
  heapBytes: 50_000_000,
  diskFreeBytes: 7_000_000_000,
  gc: null,
};

const figuresOf = (given: Partial<Parameters<typeof botFigures>[0]> = {}): BotFigures =>
  botFigures({
    session: liveSession(),
    trades: new TradeCounts(),
    meter: new SessionMeter().read(),
    machine: MACHINE,
    ...given,
  });

const render = (figures: BotFigures | null, more: Partial<MetricSources> = {}): Promise<string> =>
  renderMetrics({ bots: [{ bot: 'demo', figures }], ...more });

/** Lines of a scrape that are no comments. */
const seriesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

/** Names in the text without the endings of histograms. */
const namesOf = (text: string): Set<string> =>
  new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name ?? ''));

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

function promtoolFaults(text: string): string {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  return `${status} ${stdout}${stderr}`.trim();
}

const gcCounts = (): NonNullable<MachineFigures['gc']> => {
  const histogram = (): LatencyHistogram => new LatencyHistogram(GC_BOUNDS);
  const [minor, major, incremental, weakcb] = [histogram(), histogram(), histogram(), histogram()];
  minor.addDuration(700);
  return { minor: minor.read(), major: major.read(), incremental: incremental.read(), weakcb: weakcb.read() };
};

/** Figures of a bot with many strategies, each of which has done everything that is counted. */
function crowded(strategies: number): BotFigures {
  const trades = new TradeCounts();
  const names = Array.from({ length: strategies }, (_, number) => `strategy-${number}`);
  for (const name of names) {
    for (const state of COUNTED_STATES) trades.orders.addCount(name, state, 3);
    for (const table of [trades.fills, trades.quantities, trades.fees])
      for (const liquidity of ['maker', 'taker']) table.addCount(name, liquidity, 5);
    for (let code = 0; code < 40; code++) trades.denials.addCount(name, `code-${code}`, 1);
  }
  const limits = RISK_LIMITS.map(({ name }) => ({
    limit: name,
    strategy: null,
    subject: null,
    unit: 'micros' as const,
    used: 1,
    allowed: 4,
    isOverridden: false,
  }));
  const session = liveSession();
  const [first] = session.strategies;
  if (first === undefined) throw new Error('the figures have a strategy');
  const figures = figuresOf({
    session: {
      ...session,
      limits,
      strategies: names.map((name) => ({ ...first, name, limits: limits.map((use) => ({ ...use, strategy: name })) })),
      alarms: Array.from({ length: 16 }, (_, code) => ({ code: `alarm-${code}`, count: 1, lastUs: 1, text: '' })),
    },
    trades,
    machine: { ...MACHINE, gc: gcCounts() },
  });
  return { ...figures, alerts: { sent: [{ target: 'phone', result: 'sent', count: 4 }], waiting: 2 } };
}

const EVERYTHING: Partial<MetricSources> = {
  console: { clients: 3, dropped: 1 },
};

describe('the text of a scrape', () => {
  it('has each amount in dollars, each quantity in contracts and each time in seconds', async () => {
    const trades = new TradeCounts();
    trades.quantities.addCount('maker', 'taker', 250);
    trades.fees.addCount('maker', 'taker', 17_500);
    const lines = seriesOf(await render(figuresOf({ trades })));
    expect(lines).toContain('presage_up{bot="demo"} 1');
    expect(lines).toContain('presage_equity_dollars{bot="demo"} 1000.5');
    expect(lines).toContain('presage_profit_day_dollars{bot="demo"} -2.25');
    expect(lines).toContain('presage_contracts_total{bot="demo",strategy="maker",liquidity="taker"} 2.5');
    expect(lines).toContain('presage_fees_dollars_total{bot="demo",strategy="maker",liquidity="taker"} 0.0175');
    expect(lines).toContain('presage_feed_age_seconds{bot="demo"} 0.12');
    expect(lines).toContain('presage_drift_contracts{bot="demo"} 1.5');
    expect(lines).toContain('presage_phase{bot="demo",phase="trading"} 1');
    expect(lines).toContain('presage_halted{bot="demo",scope="strategy"} 1');
    expect(lines).toContain('presage_feed_up{bot="demo",part="private"} 0');
  });

  it('has no amount of an account that is not open yet, so that no chart falls to zero at a start', async () => {
    const { account, ...session } = liveSession();
    const unopened = { ...account, isOpen: false, equityMicros: 0, cashMicros: 0, dayMicros: null };
    const text = await render(figuresOf({ session: { ...session, account: unopened } }));
    expect(text).not.toMatch(/^presage_(?:equity|cash|profit_day)_dollars\{/m);
    expect(text).toContain('presage_exposure_dollars{bot="demo"}');
  });

  it('counts a fill once whose order is learned later', () => {
    const trades = new TradeCounts();
    const order = approvedOrder(aPlace(), '');
    const position = { ...new Portfolio().position(M0) };
    const fill = { type: 'fill', fill: aFill(), position } as const;
    trades.countNotice({ ...fill, order: null });
    trades.countNotice({ ...fill, order, isCounted: true });
    trades.countNotice({ ...fill, order });
    expect(trades.fills.list()).toEqual([
      { strategy: 'none', label: 'maker', count: 1 },
      { strategy: order.strategy, label: 'maker', count: 1 },
    ]);
    const sums = [trades.quantities, trades.fees].map((table) => table.list().map(({ count }) => count));
    expect(sums).toEqual([
      [400, 400],
      [10_000, 10_000],
    ]);
  });

  it('gives the use of a limit as a share, and a limit of nothing as used up by anything', async () => {
    const lines = seriesOf(await render(figuresOf()));
    expect(lines).toContain('presage_limit_use_ratio{bot="demo",limit="dailyLossMax",strategy=""} 0.25');
    expect(lines).toContain('presage_limit_use_ratio{bot="demo",limit="workingOrdersMax",strategy=""} 1');
    expect(lines).toContain('presage_limit_use_ratio{bot="demo",limit="orderQtyMax",strategy="maker"} 0.5');
  });

  it('sums the buckets of a histogram, in seconds, and ends with its count', async () => {
    const latency = new LatencyHistogram();
    for (const micros of [10, 50, 51, 900, 20_000_000]) latency.addDuration(micros);
    const meter = new SessionMeter().read();
    const stages = { ...meter.stages, send_to_ack: latency.read() };
    const lines = seriesOf(await render(figuresOf({ meter: { ...meter, stages } })));
    const of = (ending: string): string[] =>
      lines.filter((line) => line.startsWith(`presage_order_seconds_${ending}{`) && line.includes('send_to_ack'));
    expect(of('bucket').map((line) => line.replace(/.*le="(.*)"\} /, '$1 '))).toEqual([
      '0.00005 2',
      '0.0001 3',
      '0.00025 3',
      '0.0005 3',
      '0.001 4',
      '0.0025 4',
      '0.005 4',
      '0.01 4',
      '0.025 4',
      '0.05 4',
      '0.1 4',
      '0.25 4',
      '0.5 4',
      '1 4',
      '2.5 4',
      '10 4',
      '+Inf 5',
    ]);
    expect(of('sum')).toEqual(['presage_order_seconds_sum{bot="demo",stage="send_to_ack"} 20.001011']);
    expect(of('count')).toEqual(['presage_order_seconds_count{bot="demo",stage="send_to_ack"} 5']);
  });

  it('says of a bot that does not answer only that it is down', async () => {
    expect(seriesOf(await render(null))).toEqual(['presage_up{bot="demo"} 0']);
  });

  it('shows several bots apart', async () => {
    const bots = ['one', 'two'].map((bot) => ({ bot, figures: figuresOf() }));
    const text = await renderMetrics({ bots });
    expect(seriesOf(text).filter((line) => line.startsWith('presage_cash_dollars'))).toEqual([
      'presage_cash_dollars{bot="one"} 900',
      'presage_cash_dollars{bot="two"} 900',
    ]);
  });

  it('shows the alerts of each bot apart, so that no sum falls when a bot stops', async () => {
    const alerts = { sent: [{ target: 'phone', result: 'sent', count: 3 }], waiting: 2 };
    const bots = ['one', 'two'].map((bot) => ({ bot, figures: { ...figuresOf(), alerts } }));
    const text = await renderMetrics({ bots: [...bots, { bot: 'silent', figures: figuresOf() }] });
    expect(seriesOf(text).filter((line) => line.startsWith('presage_alerts'))).toEqual([
      'presage_alerts_sent_total{bot="one",target="phone",result="sent"} 3',
      'presage_alerts_sent_total{bot="two",target="phone",result="sent"} 3',
      'presage_alerts_waiting{bot="one"} 2',
      'presage_alerts_waiting{bot="two"} 2',
    ]);
  });

  it('has every metric of the tables, and no other', async () => {
    const names = namesOf(await render(crowded(2), EVERYTHING));
    const described = [...BOT_METRICS, ...Object.values(OWN_METRICS)].map(({ name }) => name);
    expect([...names].sort()).toEqual(described.sort());
  });

  it.runIf(hasPromtool)('is accepted by promtool without a remark', async () => {
    expect(promtoolFaults(await render(crowded(3), EVERYTHING))).toBe('0');
    // The check itself must be able to fail.
    expect(promtoolFaults('presage_orders 1\n# TYPE presage_x counter\npresage_x 1\n')).not.toBe('0');
  });

  it('survives the way over the control socket', async () => {
    const figures = crowded(2);
    const received = parseBotFigures(JSON.parse(JSON.stringify(figures)));
    expect(await render(received)).toBe(await render(figures));
    expect(parseBotFigures({ phase: 'trading' })).toBeNull();
  });
});

describe('the number of series', () => {
  it.each([1, 5, 50, 80])('is at most 1000 for a bot with %i strategies that have done everything', async (count) => {
    expect(seriesOf(await render(crowded(count), EVERYTHING)).length).toBeLessThanOrEqual(1000);
  });

  it('is below 500 for a bot with 5 strategies with own limits', async () => {
    const trades = new TradeCounts();
    for (let number = 0; number < 5; number++) {
      for (const state of COUNTED_STATES) trades.orders.addCount(`s${number}`, state, 1);
      for (let code = 0; code < 10; code++) trades.denials.addCount(`s${number}`, `code-${code}`, 1);
    }
    expect(seriesOf(await render(figuresOf({ trades }))).length).toBeLessThan(500);
  });

  it('keeps the sum of what is counted under other', () => {
    const { orders } = crowded(80).trades;
    expect(orders.reduce((sum, { count }) => sum + count, 0)).toBe(80 * COUNTED_STATES.length * 3);
    expect(orders.some(({ strategy }) => strategy === 'other')).toBe(true);
  });

  it('keeps the largest use of the limits that are shown under other', () => {
    const session = liveSession();
    const [first] = session.strategies;
    if (first === undefined) throw new Error('the figures have a strategy');
    const [use] = first.limits;
    if (use === undefined) throw new Error('the strategy has a limit');
    const strategies = Array.from({ length: STRATEGY_LIMITS_MAX + 3 }, (_, number) => ({
      ...first,
      name: `s${number}`,
      limits: [{ ...use, used: number, allowed: 100 }],
    }));
    const { limits } = figuresOf({ session: { ...session, strategies } });
    const others = limits.filter(({ strategy }) => strategy === 'other');
    expect(others).toEqual([{ strategy: 'other', limit: use.limit, ratio: (STRATEGY_LIMITS_MAX + 2) / 100 }]);
  });

  it('does not depend on markets, orders, reasons or addresses: no label holds one', () => {
    const labels = new Set([...BOT_METRICS, ...Object.values(OWN_METRICS)].flatMap(({ labels: names }) => names));
    expect([...labels].sort()).toEqual(
      [
        'bot',
        'budget',
        'code',
        'kind',
        'lane',
        'limit',
        'liquidity',
        'part',
        'phase',
        'result',
        'scope',
        'stage',
        'stat',
        'state',
        'step',
        'strategy',
        'target',
      ].sort(),
    );
    expect(GC_KINDS).toHaveLength(4);
  });
});
