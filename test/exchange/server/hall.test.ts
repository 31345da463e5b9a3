// The hall without sockets: the same requests at the same times are answered the same, whoever carries them.
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/exchange/store.ts';
import { QuietHall } from './quiet-hall.ts';

/** A little of everything, and all that was said about it. */
function session(): string[] {
  const hall = new QuietHall();
  const feed = hall.feed('ann');
  feed.send('subscribe', { channels: ['orderbook_delta', 'fill'], market_tickers: ['A', 'B'] });
  const said: (string | undefined)[] = [];
  const ask = (...request: Parameters<QuietHall['ask']>): void => void said.push(hall.ask(...request)?.text);
  ask('ann', 'POST /portfolio/orders', hall.orderBody());
  hall.wait(250);
  ask('bob', 'POST /portfolio/orders', hall.orderBody({ action: 'sell', count: 4 }));
  ask('ann', 'GET /portfolio/fills?limit=5');
  ask(null, 'GET /markets/A/orderbook');
  ask('ann', 'GET /portfolio/orders?status=resting');
  return [...said.map((text) => text ?? 'nothing'), ...feed.texts, hall.hall.date()];
}

describe('the hall', () => {
  it('answers and tells the same, given the same requests at the same times', () => {
    const first = session();
    expect(first.length).toBeGreaterThan(8);
    expect(session()).toEqual(first);
  });

  it('takes a caller at their word where it is told to, and judges the age of what they say', () => {
    const hall = new QuietHall();
    expect(hall.ask('ann', 'GET /portfolio/balance')?.body.at('balance')).toBe(100_000);
    expect(hall.ask('eve', 'GET /portfolio/balance')?.status).toBe(401);
    expect(hall.ask(null, 'GET /portfolio/balance')?.status).toBe(401);
    const old = hall.header('ann');
    hall.wait(16_000);
    hall.header = () => old;
    expect(hall.ask('ann', 'GET /portfolio/balance')?.text).toContain('header_timestamp_expired');
  });

  it('goes on where it was after a crash, on a store in memory', () => {
    const store = memoryStore(7);
    const before = new QuietHall({ store });
    before.place('ann');
    const feed = before.feed('ann');
    const after = new QuietHall({ store });
    expect(after.session.exchange.ledger()).toEqual(before.session.exchange.ledger());
    expect(after.ask('ann', 'GET /portfolio/orders')?.body.rows('orders')).toHaveLength(1);
    expect(feed.ended).toBeNull();
  });

  it('says goodbye on every line when it closes, and turns everyone away', () => {
    const hall = new QuietHall();
    const feed = hall.feed(null);
    hall.hall.close();
    expect(feed.ended).toBe(1001);
    expect(hall.hall.feeds).toBe(0);
    expect(() => hall.feed(null)).toThrow('404');
    expect(hall.place('ann')?.status).toBe(503);
  });
});
