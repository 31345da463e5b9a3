import { describe, expect, it } from 'vitest';
import { cents, contracts } from '../../src/domain/units.ts';
import { Hall } from './hall.ts';

describe('trading', () => {
  it('fills at the resting price, best first, and rests the remainder', () => {
    const hall = new Hall();
    hall.place('ann', { side: 'sell', price: cents(52), qty: contracts(5) });
    hall.place('bob', { side: 'sell', price: cents(51), qty: contracts(5) });
    const order = hall.place('cat', { side: 'buy', price: cents(52), qty: contracts(12) });
    expect(order).toMatchObject({ status: 'resting', filledQty: contracts(10), leavesQty: contracts(2) });
    expect(order.filledNotional).toBe(5 * 100 * 5100 + 5 * 100 * 5200);
    expect(hall.bookText()).toBe('2@52 | ');
    hall.exchange.audit();
  });
});
