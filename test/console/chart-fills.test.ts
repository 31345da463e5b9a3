// The fills of a market's chart: each with its own price, once, over connections and sessions.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Chart } from '../../src/console/api/api-schemas.ts';
import { ConsoleSite } from './support/console-site.ts';
import { MADE_AT_US, madeEvent, madeOrder } from './support/made-bot.ts';

const TICKER = 'MARKET-00001';
let site: ConsoleSite;
beforeEach(async () => {
  site = await ConsoleSite.open();
  site.source.restart('first');
});
afterEach(() => site.close());

/** Sends a fill of an order whose limit price is 4000. */
const fillAt = (number: number, price: number): void =>
  site.source.sendEvent({
    ...madeEvent(number),
    kind: 'fill',
    ticker: TICKER,
    strategy: 'quoter',
    clientOrderId: 's-0-9',
    fill: { side: 'buy', price, qty: 100 },
  });

async function fills(): Promise<Chart['fills']> {
  const answer = await site.read(`/api/v1/bots/made/markets/${TICKER}/chart`);
  return ((await answer.json()) as Chart).fills;
}

describe('the fills of a chart', () => {
  it('have the price of the fill, which may be better than the limit price of the order', async () => {
    site.source.sendOrder(madeOrder('s-0-9', { ticker: TICKER, price: 4000 }));
    fillAt(1, 3900);
    site.source.sendOrder(madeOrder('s-0-9', { ticker: TICKER, price: 4000, filled: 100 }));
    expect(await fills()).toEqual([
      { atUs: MADE_AT_US + 1, side: 'buy', price: 3900, qty: 100, clientOrderId: 's-0-9' },
    ]);
  });

  it('are there once when a new connection sends the events of the session again', async () => {
    fillAt(1, 3900);
    site.source.restart('first');
    fillAt(1, 3900);
    fillAt(2, 3800);
    expect((await fills()).map(({ price }) => price)).toEqual([3900, 3800]);
  });

  it('go on in the next session, whose events count from one again', async () => {
    fillAt(1, 3900);
    site.source.restart('second');
    fillAt(1, 3700);
    expect((await fills()).map(({ price }) => price)).toEqual([3900, 3700]);
  });
});
