// Images of an exchange: a restored exchange behaves like the original, whatever happened before and happens after.
import { array, assert, oneof, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seriesTicker, ticker } from '../../../src/domain/ids.ts';
import { contracts } from '../../../src/domain/units.ts';
import type { Exchange } from '../../../src/exchange/machine/exchange-interface.ts';
import { restoreExchange } from '../../../src/exchange/machine/exchange-machine.ts';
import {
  ACCOUNTS,
  CENT_PRICES,
  WHOLE,
  anyChange,
  anyGroupChange,
  anyOperation,
  anyPlace,
  opOf,
} from '../exchange-arbitraries.ts';
import { ExchangeHarness, definitionOf, seconds } from '../exchange-harness.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const anyPlaced = anyPlace({
  prices: CENT_PRICES,
  reduceOnly: true,
  allIn: false,
  qtyMax: 20,
  unit: WHOLE,
  groups: true,
});
const anyStep = oneof(
  { weight: 6, arbitrary: anyPlaced },
  { weight: 3, arbitrary: anyChange(CENT_PRICES, 20, WHOLE) },
  { weight: 2, arbitrary: anyOperation },
  { weight: 1, arbitrary: anyGroupChange(40) },
);

/** Restores an exchange from its image, by way of JSON. */
const copyOf = (exchange: Exchange): Exchange => {
  const text = JSON.stringify(exchange.image());
  // The JSON was written from this type.
  return restoreExchange(7, JSON.parse(text) as ReturnType<Exchange['image']>);
};

/** Everything that can be read from an exchange. */
const allOf = (exchange: Exchange): unknown => ({
  ledger: exchange.ledger(),
  markets: exchange.markets(),
  groups: exchange.groups(),
  due: exchange.nextDue(),
  series: exchange.allSeries(),
  feeChanges: exchange.feeChanges(seriesTicker('RAIN')),
  retained: { ...exchange.retained(), timers: 0 },
  byMarket: exchange.markets().map(({ definition: { ticker: name } }) => ({
    book: exchange.book(name),
    prints: exchange.prints(name),
    bars: exchange.bars(name),
  })),
  byAccount: ACCOUNTS.map((name) => ({
    orders: exchange.orders(name),
    resting: exchange.restingOrders(name),
    fills: exchange.fills(name),
    settlements: exchange.settlements(name),
    orderGroups: exchange.orderGroups(name),
    transfers: exchange.transfers(name),
    queues: exchange.restingOrders(name).map(({ orderId }) => exchange.queueAhead(name, orderId)),
  })),
});

describe('an exchange restored from an image', () => {
  it('equals the original and continues like it, whatever happened before and happens after', () => {
    assert(
      property(tuple(array(anyStep, { maxLength: 60 }), array(anyStep, { maxLength: 60 })), ([before, after]) => {
        const harness = new ExchangeHarness({
          markets: [definitionOf('A'), definitionOf('B', { closeAt: seconds(30) })],
        });
        for (const step of before) {
          const op = opOf(harness, step);
          if (op !== null) harness.step(op);
        }
        const copy = copyOf(harness.exchange);
        expect(allOf(copy)).toEqual(allOf(harness.exchange));
        for (const step of after) {
          const op = opOf(harness, step);
          if (op === null) continue;
          const mark = harness.inputs.length;
          const result = harness.step(op);
          const input = harness.inputs[mark];
          if (input !== undefined) expect(copy.step(input)).toEqual(result);
        }
        expect(allOf(copy)).toEqual(allOf(harness.exchange));
        copy.audit();
      }),
      { numRuns: runCount(150) },
    );
  });

  it('remembers client order ids and issues no id twice', () => {
    const harness = new ExchangeHarness();
    const first = harness.placeOrder('ann', { clientOrderId: 'burnt' });
    const copy = copyOf(harness.exchange);
    const again = copy.step({
      at: harness.at,
      op: { type: 'place', account: 'ann', order: { ...orderTerms, clientOrderId: 'burnt' } },
    });
    expect(again.answer).toMatchObject({ type: 'refused', refusal: { code: 'order_already_exists' } });
    const { answer } = copy.step({ at: harness.at, op: { type: 'place', account: 'ann', order: orderTerms } });
    expect(answer).toMatchObject({ type: 'order' });
    expect(answer.type === 'order' && answer.order.orderId !== first.orderId).toBe(true);
  });

  it('has an image that does not change when the exchange does', () => {
    const harness = new ExchangeHarness();
    harness.placeOrder('ann');
    const image = harness.exchange.image();
    const text = JSON.stringify(image);
    harness.placeOrder('bob', { side: 'sell', qty: contracts(4) });
    harness.submit({ type: 'close', ticker: ticker('A') });
    expect(JSON.stringify(image)).toBe(text);
  });

  it('is refused when the image is inconsistent', () => {
    const harness = new ExchangeHarness();
    harness.placeOrder('ann');
    const image = harness.exchange.image();
    expect(() => restoreExchange(7, { ...image, house: image.outside })).toThrow('millionths of a dollar off');
  });
});

const orderTerms = {
  ticker: ticker('A'),
  clientOrderId: null,
  side: 'buy',
  price: 5000,
  qty: 100,
  timeInForce: 'gtc',
  postOnly: false,
  reduceOnly: false,
  selfTrade: 'maker',
  expiresAt: null,
  cancelOnPause: false,
} as const;
