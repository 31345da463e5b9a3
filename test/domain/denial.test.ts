// Every denial has a text with the figures of its code, in the units a trader reads.
import { describe, expect, it } from 'vitest';
import { type Denial, type DenialCode, describeDenial } from '../../src/domain/denial.ts';
import { clientOrderId, eventTicker } from '../../src/domain/ids.ts';
import { cents, contracts, dollars, qty } from '../../src/domain/units.ts';

/** One denial of every kind, with every figure its text must show. Keyed by code, so that none is missing. */
const EXAMPLES: { readonly [C in DenialCode]: readonly [Extract<Denial, { code: C }>, readonly string[]] } = {
  'order-qty-invalid': [
    { code: 'order-qty-invalid', qty: 150, qtyStep: qty(100) },
    ['order qty 1.5 is', 'of 1 contract'],
  ],
  'order-qty-above-limit': [
    { code: 'order-qty-above-limit', qty: contracts(30), orderQtyMax: contracts(20) },
    ['30', '20'],
  ],
  'order-cost-above-limit': [
    { code: 'order-cost-above-limit', cost: dollars(12), orderCostMax: dollars(10) },
    ['12.00', '10.00'],
  ],
  'position-above-limit': [
    { code: 'position-above-limit', of: 'account', position: contracts(-70), positionQtyMax: contracts(50) },
    ['−70', '50'],
  ],
  'market-cost-above-limit': [
    { code: 'market-cost-above-limit', of: 'account', cost: dollars(31), marketCostMax: dollars(30) },
    ['31.00', '30.00'],
  ],
  'account-cost-above-limit': [
    { code: 'account-cost-above-limit', of: 'account', cost: dollars(101), accountCostMax: dollars(100) },
    ['101.00', '100.00'],
  ],
  'strategy-capital': [
    { code: 'strategy-capital', cost: dollars(31), left: dollars(25), allotted: dollars(30) },
    ['31.00', '25.00', '30.00'],
  ],
  'order-not-open': [{ code: 'order-not-open', order: clientOrderId('s-0-1'), state: 'filled' }, ['s-0-1', 'filled']],
  'decrease-invalid': [
    { code: 'decrease-invalid', leavesQty: 50, openQty: contracts(10), qtyStep: qty(100) },
    ['qty 0.5 is', 'of 1 contract', 'the 10 that'],
  ],
  'group-cost-above-limit': [
    {
      code: 'group-cost-above-limit',
      of: 'account',
      cost: dollars(41),
      groupCostMax: dollars(40),
      eventTicker: eventTicker('CITY-36'),
    },
    ['41.00', '40.00', 'CITY-36'],
  ],
  'price-too-far': [
    { code: 'price-too-far', price: cents(80), reference: cents(50), priceDistanceMax: 1500 },
    ['80¢', '50¢', '15¢'],
  ],
  'no-reference': [{ code: 'no-reference' }, ['two sides', 'post-only']],
  'nothing-to-reduce': [
    { code: 'nothing-to-reduce', side: 'sell', position: contracts(-3) },
    ['−3', 'reduce-only sell'],
  ],
  'not-offered': [{ code: 'not-offered', feature: 'post-only orders' }, ['post-only orders']],
  'book-jumped': [{ code: 'book-jumped', jump: 2050.5, touchJumpMax: 1000, forMs: 1500 }, ['20.5¢', '10¢', '1500']],
  'spread-too-wide': [{ code: 'spread-too-wide', spread: 3000, spreadMax: 2000 }, ['30¢', '20¢']],
  'order-rate-above-limit': [
    { code: 'order-rate-above-limit', of: 'strategy', orders: 21, ordersPerSecondMax: 20 },
    ['strategy', '21', '20'],
  ],
  'message-rate-above-limit': [
    { code: 'message-rate-above-limit', of: 'account', messages: 601, messagesPerMinuteMax: 600 },
    ['account', '601', '600'],
  ],
  'duplicate-order': [
    { code: 'duplicate-order', orderId: clientOrderId('quoter-8'), ageMs: 120, duplicateWindowMs: 500 },
    ['quoter-8', '120', '500'],
  ],
  'not-closing': [{ code: 'not-closing', qty: contracts(5), position: contracts(-3) }, ['5', '−3']],
  'cash-short': [{ code: 'cash-short', needed: dollars(5), available: dollars(4) }, ['5.00', '4.00']],
  halted: [
    { code: 'halted', scope: 'strategy', by: 'operator', reason: 'it looked odd' },
    ['the strategy', 'operator', 'it looked odd'],
  ],
  'price-off-grid': [{ code: 'price-off-grid', price: 4250 }, ['price 42.5¢ is']],
  'price-outside-band': [
    { code: 'price-outside-band', price: cents(99), priceMin: cents(2), priceMax: cents(98) },
    ['99¢', '2¢', '98¢'],
  ],
  'book-not-live': [{ code: 'book-not-live', trust: 'suspect' }, ['suspect']],
  'book-stale': [{ code: 'book-stale', ageMs: 7001, bookAgeMsMax: 5000 }, ['7001', '5000']],
  'market-not-open': [{ code: 'market-not-open', status: 'closed' }, ['closed']],
  'market-unknown': [{ code: 'market-unknown', market: 17 }, ['17']],
  'market-unresolved': [
    { code: 'market-unresolved', order: clientOrderId('s-0-1'), forMs: 31_000, unknownMsMax: 30_000 },
    ['s-0-1', '31000', '30000'],
  ],
  'market-closing': [{ code: 'market-closing', closesInMs: 900, closeGuardMs: 60_000 }, ['900', '60000']],
  'self-cross': [
    { code: 'self-cross', price: cents(51), restingPrice: cents(50), restingOrder: 'quoter-7' },
    ['51¢', '50¢', 'quoter-7'],
  ],
  'orders-above-limit': [{ code: 'orders-above-limit', of: 'account', orders: 11, workingOrdersMax: 10 }, ['11', '10']],
  'expiry-invalid': [{ code: 'expiry-invalid', reason: 'it lies in the past' }, ['it lies in the past']],
  'not-ready': [{ code: 'not-ready', reason: 'balance not read' }, ['balance not read']],
  stopping: [{ code: 'stopping' }, ['stopping']],
};

describe('a denial', () => {
  it.each(Object.entries(EXAMPLES))('a denial for %s shows its figures', (_, [denial, figures]) => {
    const text = describeDenial(denial);
    for (const figure of figures) expect(text).toContain(figure);
    expect(text).not.toMatch(/undefined|NaN|\[object/);
  });

  it('an invalid figure is shown as the strategy gave it', () => {
    const qtyText = (qty: number) => describeDenial({ code: 'order-qty-invalid', qty, qtyStep: 100 });
    expect(qtyText(-200)).toContain('order qty −2 is');
    expect(qtyText(2.5)).toContain('order qty 2.5 hundredths is');
    expect(qtyText(Number.NaN)).toContain('order qty NaN hundredths is');
    const priceText = (price: number) => describeDenial({ code: 'price-off-grid', price });
    expect(priceText(-100)).toContain('price −1¢ is');
    expect(priceText(0.42)).toContain('price 0.42 hundredths of a cent is');
  });

  it('a market past its close, which the venue has not reported yet, is not said to close in a negative time', () => {
    const text = (closesInMs: number) => describeDenial({ code: 'market-closing', closesInMs, closeGuardMs: 2000 });
    expect(text(-156)).toBe("the market's close was 156 ms ago, closeGuardMs is 2000");
    expect(text(-1)).toContain('was 1 ms ago');
    expect(text(0)).toBe('the market closes in 0 ms, closeGuardMs is 2000');
  });

  it('no two denials have the same text', () => {
    const texts = Object.values(EXAMPLES).map(([denial]) => describeDenial(denial));
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('a denial names its limit as the config does', () => {
    for (const [denial] of Object.values(EXAMPLES))
      for (const name of Object.keys(denial).filter((key) =>
        /^(order|position|market|group|account|working|book|message|spread|touch|duplicate).*(Max|WindowMs)$/.test(key),
      ))
        expect(describeDenial(denial)).toContain(name);
  });
});
