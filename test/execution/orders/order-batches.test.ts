// Orders of one step are put into batches, which change the number of requests, never the commands.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CancelCommand, Command, OrderBatch, PlaceCommand } from '../../../src/domain/venue-command.ts';
import { venueOrderId } from '../../../src/domain/ids.ts';
import { batchOrders } from '../../../src/execution/orders/order-batches.ts';
import { BEGIN, aPlace } from '../../support/engine/builders.ts';

const place = (id: number): PlaceCommand => aPlace({ id });
const cancel = (id: number): CancelCommand => ({
  type: 'cancel',
  lane: 'cancel',
  id,
  clientOrderId: aPlace().clientOrderId,
  venueOrderId: venueOrderId(`v${id}`),
  ticker: aPlace().ticker,
  createdAt: BEGIN,
  validUntil: null,
});
const read = (id: number): Command => ({
  type: 'read',
  lane: 'read',
  id,
  target: { what: 'balance' },
  cursor: null,
  createdAt: BEGIN,
  validUntil: null,
});

const idsOf = (requests: readonly (Command | OrderBatch)[]): (number | readonly number[])[] =>
  requests.map((request) => (request.type === 'batch' ? request.commands.map(({ id }) => id) : request.id));

describe('batches of orders', () => {
  it.each([
    ['nothing', [], []],
    ['one order alone', [place(1)], [1]],
    ['two sides of a quote together', [place(1), place(2)], [[1, 2]]],
    [
      'cancels apart from new orders',
      [cancel(1), cancel(2), place(3), place(4)],
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ['one cancel and one new order apart', [cancel(1), place(2)], [1, 2]],
    ['other commands in their places', [cancel(1), read(2), cancel(3), read(4)], [[1, 3], 2, 4]],
    ['no more than the venue takes', [1, 2, 3, 4, 5, 6, 7].map(place), [[1, 2, 3], [4, 5, 6], 7]],
  ])('leave: %s', (_title, commands, expected) => {
    expect(idsOf(batchOrders(commands, { batchMax: 3 }))).toEqual(expected);
  });

  it('are not made where the venue takes one order at a time', () => {
    const commands = [place(1), place(2)];
    expect(batchOrders(commands, { batchMax: 1 })).toBe(commands);
  });

  it('leave out a command that must leave alone', () => {
    const isAlone = ({ id }: Command): boolean => id === 2;
    expect(idsOf(batchOrders([place(1), place(2), place(3)], { batchMax: 9, isAlone }))).toEqual([[1, 3], 2]);
  });

  it('hold every command exactly once, in sequence within its type, and never too many', () => {
    const kinds = { place, cancel, read };
    const anyCommands = fc.array(fc.constantFrom('place', 'cancel', 'read'), { maxLength: 40 });
    fc.assert(
      fc.property(anyCommands, fc.integer({ min: 1, max: 6 }), (names, batchMax) => {
        const commands = names.map((name, id) => kinds[name](id));
        const requests = batchOrders(commands, { batchMax });
        const flat: Command[] = [];
        for (const request of requests) flat.push(...(request.type === 'batch' ? request.commands : [request]));
        expect(flat.toSorted((a, b) => a.id - b.id)).toEqual(commands);
        for (const type of ['place', 'cancel', 'read'])
          expect(flat.filter((each) => each.type === type)).toEqual(commands.filter((each) => each.type === type));
        for (const request of requests)
          if (request.type === 'batch') {
            expect(request.commands.length).toBeGreaterThan(1);
            expect(request.commands.length).toBeLessThanOrEqual(batchMax);
            expect(new Set(request.commands.map(({ type }) => type)).size).toBe(1);
          }
      }),
    );
  });
});
