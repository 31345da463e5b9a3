// The last look at commands that change a resting order: halts stop those that may add risk, deadlines stop all.
import { describe, expect, it } from 'vitest';
import type { RequestCommand } from '../../../src/domain/venue-command.ts';
import { ticker, venueOrderId } from '../../../src/domain/ids.ts';
import { type Micros, cents, contracts } from '../../../src/domain/units.ts';
import { CommandExecutor } from '../../../src/runtime/session/command-executor.ts';
import type { Answer } from '../../../src/venue.ts';
import { BEGIN, aPlace, after } from '../../support/engine/builders.ts';

const resting = {
  createdAt: BEGIN,
  clientOrderId: aPlace().clientOrderId,
  venueOrderId: venueOrderId('v'),
  ticker: ticker('M'),
};
const amend = (id: number, validUntil: Micros): RequestCommand => ({
  ...resting,
  type: 'amend',
  lane: 'new',
  id,
  validUntil,
  side: 'buy',
  price: cents(60),
  qty: contracts(5),
});
const decrease = (id: number, validUntil: Micros): RequestCommand => ({
  ...resting,
  type: 'decrease',
  lane: 'reduce',
  id,
  validUntil,
  leavesQty: contracts(1),
});
const cancel = (id: number): RequestCommand => ({ ...resting, type: 'cancel', lane: 'cancel', id, validUntil: null });

/** Executes commands once a deadline of 2000 has passed, and returns what was sent and what was not. */
async function execute(commands: readonly RequestCommand[], blockReason: (id: number) => string | null) {
  const sent: number[] = [];
  const notSent: unknown[] = [];
  const executor = new CommandExecutor({
    gateway: {
      warmUp: () => Promise.resolve(),
      stop: () => Promise.resolve(),
      send(command): Promise<Answer> {
        sent.push(command.id);
        const outcome = { type: 'unknown', reason: 'lost' } as const;
        return Promise.resolve({ type: 'answer', at: BEGIN, askedAt: BEGIN, command, outcome });
      },
    },
    feed: { start: () => undefined, stop: () => Promise.resolve(), send: () => undefined },
    concurrency: { read: 1, trade: 4 },
    onAnswers: (answers) => {
      for (const { command, outcome } of answers)
        if (outcome.type === 'not-sent') notSent.push([command.id, outcome.reason]);
    },
    onFault: (fault) => {
      throw fault;
    },
    now: () => after(5000),
    blockReason: ({ id }) => blockReason(id),
  });
  executor.executeCommands(commands);
  await executor.stop();
  return { sent, notSent };
}

describe('the last look at a change of a resting order', () => {
  it('stops an amend that is blocked, and amends and decreases beyond their deadline', async () => {
    const late = [amend(2, after(2000)), decrease(3, after(2000))];
    const commands = [amend(1, after(9000)), ...late, amend(4, after(9000)), decrease(5, after(9000))];
    expect(await execute(commands, (id) => (id === 1 ? 'halted' : null))).toEqual({
      sent: [4, 5],
      notSent: [
        [1, 'halted'],
        [2, 'it waited beyond its deadline'],
        [3, 'it waited beyond its deadline'],
      ],
    });
  });

  it('does not ask whether a decrease or a cancel is blocked: they lower the risk', async () => {
    const { sent } = await execute([decrease(1, after(9000)), cancel(2), amend(3, after(9000))], () => 'halted');
    expect(new Set(sent)).toEqual(new Set([1, 2]));
  });
});
