// The live stream over real HTTP: what each view gets, what a broken connection gets, and what a reader that does not read
// costs.
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeSecret } from '../../src/console/security/token-file.ts';
import { POINTS_MAX } from '../../src/console/bots/price-series.ts';
import type { LiveOrder } from '../../src/runtime/follow/follow-messages.ts';
import { fileStorage } from '../../src/tape/journal/file-storage.ts';
import { AT, journalOn, start } from '../support/tapes/journal-entries.ts';
import { ConsoleSite } from './support/console-site.ts';
import { EventReader, named } from './support/event-reader.ts';
import { MADE_AT_US, madeEvent, madeMarket, madeOrder } from './support/made-bot.ts';

let site: ConsoleSite;
const readers: EventReader[] = [];
beforeEach(async () => {
  site = await ConsoleSite.open({ markets: 300 });
});
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  await site.close();
});

async function follow(path: string, more: Record<string, string> = {}): Promise<EventReader> {
  const headers = { Authorization: `Bearer ${site.tokens.reader}`, ...more };
  const reader = await EventReader.open(`${site.server.url}/api/v1${path}`, headers, site.api);
  readers.push(reader);
  return reader;
}
const followBot = (query: string, more?: Record<string, string>): Promise<EventReader> =>
  follow(`/bots/made/live?${query}`, more);

const rowsOf = (data: Record<string, unknown>): { ticker: string; bid: number }[] =>
  data['rows'] as { ticker: string; bid: number }[];

describe('the live stream', () => {
  it('begins with a snapshot of the view, and then sends what changes', async () => {
    const reader = await followBot('view=markets&sort=ticker&from=0&to=3');
    const first = await reader.event(named('marketsPage'));
    expect(reader.events.map(({ event }) => event)).toEqual(['hello', 'session', 'marketsPage']);
    expect(first.data).toMatchObject({ total: 300, from: 0 });
    expect(rowsOf(first.data).map(({ ticker }) => ticker)).toEqual(['MARKET-00000', 'MARKET-00001', 'MARKET-00002']);
    site.source.sendCells([madeMarket(2, { bid: 7777 }).cells]);
    await reader.event(({ event, data }) => event === 'marketsPage' && rowsOf(data)[2]?.bid === 7777);
    site.source.beat();
    await reader.event(named('beat'));
  });

  it('sends each view what it shows, and nothing of the others', async () => {
    const orders = await followBot('view=orders');
    const events = await followBot('view=events');
    await orders.event(named('orders'));
    await events.event(named('events'));
    site.source.sendOrder(madeOrder('s-0-2'));
    site.source.sendEvent(madeEvent(2));
    await orders.event(({ event, data }) => event === 'orders' && data['isSnapshot'] === false);
    await events.event(({ event, data }) => event === 'events' && JSON.stringify(data).includes('event 2'));
    expect(orders.events.some(({ event }) => event === 'events')).toBe(false);
    expect(events.events.some(({ event }) => event === 'orders')).toBe(false);
  });

  it('shows an open order in a snapshot, although more than a thousand later ones have ended', async () => {
    for (let n = 2; n < 1203; n++) site.source.sendOrder(madeOrder(`s-0-${n}`, { isOpen: false, state: 'canceled' }));
    const { data } = await (await followBot('view=orders')).event(named('orders'));
    // tidy: as (the body has a list of orders)
    const orders = data['orders'] as LiveOrder[];
    expect(orders.filter(({ isOpen }) => isOpen).map(({ clientOrderId }) => clientOrderId)).toEqual(['s-0-1']);
    expect(orders[0]?.clientOrderId).toBe('s-0-203');
    expect(orders).toHaveLength(1001);
  });

  it('answers HEAD with the headers alone, and counts no reader', async () => {
    for (const path of ['/live', '/bots/made/live?view=market&market=MARKET-00005']) {
      const headers = { Authorization: `Bearer ${site.tokens.reader}` };
      const answer = await fetch(`${site.server.url}/api/v1${path}`, { method: 'HEAD', headers });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    }
    expect(site.server.clients.size).toBe(0);
    expect(site.source.watched).toEqual([]);
  });

  it('watches a market while a page shows it, and no longer', async () => {
    const reader = await followBot('view=market&market=MARKET-00005');
    await reader.event(named('detail'));
    expect(site.source.watched).toEqual(['MARKET-00005']);
    reader.close();
    await reader.ended;
    await expect.poll(() => site.source.watched).toEqual([]);
  });

  it('sends the changes alone to a reader whose connection broke, and no snapshot', async () => {
    const reader = await followBot('view=orders');
    await reader.event(named('orders'));
    const { lastId } = reader;
    reader.close();
    site.source.sendOrder(madeOrder('s-0-2'));
    const again = await followBot('view=orders', { 'Last-Event-ID': lastId ?? '' });
    const { data } = await again.event(named('orders'));
    expect(data).toMatchObject({ isSnapshot: false, orders: [{ clientOrderId: 's-0-2' }] });
    expect(again.events.some(({ event }) => event === 'hello')).toBe(false);
  });

  it.each([
    ['an id that is older than the kept changes', 'session-1.5'],
    ['an id of another session', 'session-0.1790000000000000'],
    ['an id from the future', 'session-1.9000000000000000'],
    ['a text that is no id', 'nonsense'],
  ])('sends a snapshot to a reader with %s', async (_, id) => {
    const reader = await followBot('view=orders', { 'Last-Event-ID': id });
    expect((await reader.event(named('orders'))).data['isSnapshot']).toBe(true);
    expect(reader.events[0]?.event).toBe('hello');
  });

  it('sends a snapshot after ten seconds, and after the bot has started again', async () => {
    const reader = await followBot('view=orders');
    await reader.event(named('orders'));
    reader.close();
    site.source.sendOrder(madeOrder('s-0-2'));
    site.nowMs += 11_000;
    const late = await followBot('view=orders', { 'Last-Event-ID': reader.lastId ?? '' });
    expect((await late.event(named('orders'))).data['isSnapshot']).toBe(true);
    site.source.restart('session-2');
    await late.event(({ event, data }) => event === 'hello' && data['session'] === 'session-2');
    expect(late.lastId).toContain('session-2.');
  });

  it('says each second that a bot is gone, with what is known of its process', async () => {
    const reader = await followBot('view=session');
    await reader.event(named('session'));
    site.source.setLink('absent');
    const { data } = await reader.event(named('gone'));
    expect(data).toMatchObject({ process: { state: 'dead', pid: null }, isPaper: false });
    await expect.poll(() => reader.events.filter(named('gone')).length).toBeGreaterThanOrEqual(3);
    site.source.setLink('connected');
    site.source.sendSession({ phase: 'trading' });
    const before = reader.events.length;
    await expect.poll(() => reader.events.slice(before).some(named('session'))).toBe(true);
  });

  it('says of a bot that ended its session that it has stopped, and how', async () => {
    const journal = journalOn(fileStorage(join(site.folder, 'journal')));
    journal.writeInput(start('s1'));
    await journal.close('stopped');
    const reader = await followBot('view=session');
    site.source.setLink('absent');
    const gone = async (): Promise<unknown> => (await reader.event(named('gone'))).data['process'];
    const ended = { isOrderly: true, text: 'in order', atUs: AT };
    expect(await gone()).toMatchObject({ state: 'stopped', pid: null, ended });
    expect(site.bot.row().process.state).toBe('stopped');
    // Another session begins, and its process dies.
    const next = journalOn(fileStorage(join(site.folder, 'journal')));
    next.writeInput(start('s2', AT + 5));
    next.flush();
    site.nowMs = Date.now() + 2000;
    expect(site.bot.row().process).toMatchObject({ state: 'no answer', ended: null });
    site.nowMs += 5000;
    expect(site.bot.row().process).toMatchObject({ state: 'dead', ended: null });
    await next.close('fault');
    site.nowMs += 2000;
    expect(site.bot.row().process).toMatchObject({ state: 'stopped', ended: { isOrderly: false, text: 'by a fault' } });
  });

  it('names the events that it could not carry', async () => {
    for (let number = 2; number <= 1500; number++) site.source.state.events.push(madeEvent(number));
    const reader = await followBot('view=events');
    const { data } = await reader.event(named('events'));
    expect((data['events'] as unknown[]).length).toBe(500);
    for (let number = 1501; number <= 2200; number++) site.source.sendEvent(madeEvent(number));
    await reader.event(({ event, data: body }) => event === 'events' && JSON.stringify(body).includes('"number":2200'));
    const numbers = reader.events
      .filter(named('events'))
      .flatMap((each) => (each.data['events'] as { number: number }[]).map(({ number }) => number));
    const lost = reader.events.filter(named('notice'));
    expect(lost.length > 0 || numbers.length >= 1200).toBe(true);
  });

  it('sends the rows of all bots, at least once a second', async () => {
    const reader = await follow('/live');
    const { data } = await reader.event(named('overview'));
    expect(data).toMatchObject({ bots: [{ bot: 'made', phase: 'trading', process: { state: 'running' } }] });
    site.source.sendSession({ phase: 'stopping' });
    await reader.event(({ event, data: body }) => event === 'overview' && JSON.stringify(body).includes('stopping'));
    await expect.poll(() => reader.events.length).toBeGreaterThanOrEqual(4);
  });

  it('ends for a login that has ended', async () => {
    const cookie = await site.logIn('reader');
    const reader = await EventReader.open(`${site.server.url}/api/v1/live`, { Cookie: cookie });
    await reader.event(named('overview'));
    await fetch(`${site.server.url}/api/v1/session`, { method: 'DELETE', headers: site.pageHeaders(cookie) });
    await reader.ended;
  });
});

it('ends the stream of a token that its person has replaced', async () => {
  const reader = await follow('/live');
  await reader.event(named('overview'));
  writeFileSync(join(site.folder, 'console.token'), `reader-name reader ${makeSecret()}\n`);
  await reader.ended;
});

it('sends an empty list of events, so that a view does not wait for the first one', async () => {
  site.source.state.events.length = 0;
  const { data } = await (await followBot('view=events')).event(named('events'));
  expect(data['events']).toEqual([]);
});

describe('the bounds of live streams', () => {
  it('six readers of one address are served, and the seventh is refused', async () => {
    for (let i = 0; i < 6; i++) await followBot('view=session');
    const answer = await site.read('/api/v1/bots/made/live');
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([429, 'too-many']);
    readers.pop()?.close();
    await expect.poll(async () => (await tryFollow()) === 200).toBe(true);
  });

  async function tryFollow(): Promise<number> {
    const abort = new AbortController();
    const headers = { Authorization: `Bearer ${site.tokens.reader}` };
    const answer = await fetch(`${site.server.url}/api/v1/bots/made/live`, { headers, signal: abort.signal });
    abort.abort();
    return answer.status;
  }

  it('a reader that does not read holds up no other, and costs a bounded amount of memory', async () => {
    const stalled = connect(site.port, '127.0.0.1');
    stalled.write(
      `GET /api/v1/bots/made/live?view=markets&to=300 HTTP/1.1\r\nHost: 127.0.0.1:${site.port}\r\nAuthorization: Bearer ${site.tokens.reader}\r\n\r\n`,
    );
    await new Promise((resolve) => stalled.once('connect', resolve));
    stalled.pause();
    const reader = await followBot('view=markets&to=300');
    await reader.event(named('marketsPage'));
    expect(site.server.clients.size).toBe(2);
    for (let bid = 5000; bid < 5020; bid++) {
      site.source.sendCells(Array.from({ length: 300 }, (_, index) => madeMarket(index, { bid }).cells));
      await reader.event(({ event, data }) => event === 'marketsPage' && rowsOf(data)[0]?.bid === bid);
    }
    stalled.destroy();
    await expect.poll(() => site.server.clients.size).toBe(1);
  });

  it('a thousand changes are sent as the latest state, not as a thousand messages', async () => {
    const reader = await followBot('view=markets&sort=ticker&to=1');
    await reader.event(named('marketsPage'));
    for (let bid = 1000; bid < 2000; bid++) site.source.sendCells([madeMarket(0, { bid }).cells]);
    await reader.event(({ event, data }) => event === 'marketsPage' && rowsOf(data)[0]?.bid === 1999);
    expect(reader.events.filter(named('marketsPage')).length).toBeLessThan(10);
  });

  it('the series of a market are bounded, and keep the latest prices', () => {
    for (let i = 0; i < POINTS_MAX + 5000; i++)
      site.source.sendCells([madeMarket(1, { bid: i, own: 100 }).cells], MADE_AT_US + i);
    const chart = site.bot.chartOf('MARKET-00001', { from: 0, to: Number.MAX_SAFE_INTEGER, points: 1000 });
    expect(chart.atUs.length).toBeLessThanOrEqual(1000);
    expect(chart.bid.at(-1)).toBe(POINTS_MAX + 4999);
  });
});
