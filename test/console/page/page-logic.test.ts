// The pure parts of the page's state: addresses, freshness, the levels of the ladder, the live end of the chart. And the
// fixture itself: its bodies fit the schemas of the API.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { botRowSchema, chartSchema, marketsPageSchema } from '../../../src/console/api/api-schemas.ts';
import { makeActionId } from '../../../src/console/page/state/action-id.ts';
import { formatAddress, loginCodeOf, parseAddress } from '../../../src/console/page/state/address.ts';
import { parseAnswer } from '../../../src/console/page/state/answer-text.ts';
import { beginOfEvents, joinEvents } from '../../../src/console/page/state/event-span.ts';
import { sparkPath } from '../../../src/console/page/format/spark-path.ts';
import { freshnessOf } from '../../../src/console/page/state/freshness.ts';
import {
  type LiveEvent,
  liveEventSchema,
  liveSessionSchema,
  marketDetailSchema,
} from '../../../src/runtime/follow/follow-messages.ts';
import { whyAnswerSchema, whyOrderSchema } from '../../../src/why/why-answer.ts';
import { DemoBot } from './demo-bot.ts';

describe('an answer of the console', () => {
  it('shows marks that reverse text as escapes: a title must not turn the figures behind it', () => {
    const text = JSON.stringify({ title: 'rain\u202E\u2066\u200F', qty: 5, city: 'Zürich – \u05D0' });
    expect(parseAnswer(text)).toEqual({ title: String.raw`rain\u202e\u2066\u200f`, qty: 5, city: 'Zürich – \u05D0' });
  });
});

describe('the id of a control', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('is a UUID, also where the browser makes none: at a remote address without TLS', () => {
    const { crypto } = globalThis;
    vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes) });
    const ids = [makeActionId(), makeActionId()];
    for (const id of ids) expect(z.uuidv4().parse(id)).toBe(id);
    expect(new Set(ids).size).toBe(2);
  });
});

describe('an address', () => {
  it.each([
    ['#/', { bot: null, view: 'overview', subject: null, query: {} }],
    ['#/b/demo', { bot: 'demo', view: 'overview', subject: null, query: {} }],
    [
      '#/b/demo/market/A%2FB?at=x&span=60',
      { bot: 'demo', view: 'market', subject: 'A/B', query: { at: 'x', span: '60' } },
    ],
    ['#/b/de%20mo/orders/a1-q-1', { bot: 'de mo', view: 'orders', subject: 'a1-q-1', query: {} }],
  ])('of %s is read and written alike', (fragment, address) => {
    expect(parseAddress(fragment)).toEqual(address);
    expect(parseAddress(formatAddress(parseAddress(fragment)))).toEqual(address);
  });

  it.each(['', '#', '#/x/y', '#/b', '#login=abc'])('of %j leads to all bots', (fragment) => {
    expect(parseAddress(fragment)).toMatchObject({ bot: null, view: 'overview' });
  });

  it('of an unknown view leads to the overview of the bot, and a broken escape is kept as it is', () => {
    expect(parseAddress('#/b/%E0%A4%A/nothing')).toMatchObject({ bot: '%E0%A4%A', view: 'overview' });
  });

  it('leaves empty members of the query out', () => {
    expect(formatAddress({ bot: 'demo', view: 'why', query: { market: 'T', at: '' } })).toBe('#/b/demo/why?market=T');
  });

  it('gives the one-time code only when it is all of the fragment', () => {
    expect(['#login=aB-9_', '#/login=a', '#login=a&b=c', '#login='].map(loginCodeOf)).toEqual([
      'aB-9_',
      null,
      null,
      null,
    ]);
  });
});

describe('the small line of equity', () => {
  it('is broken where the bot did not answer', () => {
    const points = [
      { atUs: 0, micros: 0 },
      { atUs: 10, micros: 10 },
      { atUs: 11, micros: null },
      { atUs: 20, micros: 5 },
    ];
    expect(sparkPath(points)).toBe('M0.0 34.0L60.0 2.0M120.0 18.0');
    expect(sparkPath(points.slice(1, 3))).toBe('');
  });
});

describe('freshness', () => {
  it.each([
    [null, 0, 'connecting'],
    [null, 9_999, 'connecting'],
    [null, 10_000, 'disconnected'],
    [0, 60_000, 'live'],
    [2_999, 60_000, 'live'],
    [3_000, 60_000, 'stale'],
    [9_999, 60_000, 'stale'],
    [10_000, 60_000, 'disconnected'],
    // A page that was hidden for an hour, and is shown again.
    [3_600_000, 500, 'stale'],
    [3_600_000, 10_000, 'disconnected'],
    [1000, 500, 'live'],
  ])('%s ms after the last sign and %d ms after the opening is %s', (sinceSign, sinceOpen, freshness) => {
    expect(freshnessOf(sinceSign, sinceOpen)).toBe(freshness);
  });
});

describe('the fixture', () => {
  const bot = new DemoBot(300);
  const now = bot.nowUs;
  const frame = (view: string, name: string): unknown =>
    bot
      .frames(new URLSearchParams({ view, market: bot.markets.rows[0]?.ticker ?? '' }), true)
      .find(({ event }) => event === name)?.data;

  it('fits the schemas of the API and of the live stream', () => {
    expect(bot.rows().map((row) => botRowSchema.parse(row))).toHaveLength(4);
    marketsPageSchema.parse(bot.marketsPage(new URLSearchParams({ from: '0', to: '50' })));
    chartSchema.parse(bot.markets.chartOf(bot.markets.rows[0]?.ticker ?? '', now - 900_000_000, now));
    liveSessionSchema.parse((frame('session', 'session') as { session: unknown }).session);
    marketDetailSchema.parse((frame('market', 'detail') as { market: unknown }).market);
    for (const event of (frame('events', 'events') as { events: unknown[] }).events) liveEventSchema.parse(event);
    const ask = (path: string, query: Record<string, string> = {}): unknown => {
      const answer = bot.answer({ method: 'GET', path, query: new URLSearchParams(query), body: null });
      return answer && 'body' in answer ? answer.body : null;
    };
    whyAnswerSchema.parse(ask('/why', { market: 'T', at: '2026-11-23T14:00:00Z' }));
    whyOrderSchema.parse(ask('/why/order/a1'));
  });
});

describe('the list of live events', () => {
  const event = (number: number): LiveEvent => ({
    number,
    atUs: 1000 * number,
    kind: 'fill',
    severity: 'info',
    ticker: null,
    strategy: null,
    clientOrderId: null,
    text: '',
  });
  const span = (from: number, to: number): LiveEvent[] =>
    Array.from({ length: to - from + 1 }, (_, at) => event(from + at));

  it('has every event of a session until the oldest are dropped, and says where it begins', () => {
    const whole = joinEvents(span(1, 2400), span(2390, 2500));
    expect([whole.length, beginOfEvents(whole)]).toEqual([2500, null]);
    const later = joinEvents(whole, [event(2501)]);
    expect([later.length, beginOfEvents(later)]).toEqual([2000, 502_000]);
    expect(beginOfEvents(null)).toBeNull();
  });

  it('begins with the new events after a gap in the numbers', () => {
    const joined = joinEvents(span(1, 10), span(501, 1000));
    expect([joined.length, beginOfEvents(joined)]).toEqual([500, 501_000]);
  });
});
