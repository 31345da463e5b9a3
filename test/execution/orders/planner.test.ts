// The planner: lanes, the reserve for cancels, deadlines, deferral, room in flight, and wake-up times.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssertionFault } from '../../../src/base/assert.ts';
import type { CancelCommand, Lane, ReadCommand, ReadLane, RequestCommand } from '../../../src/domain/venue-command.ts';
import { clientOrderId, venueOrderId } from '../../../src/domain/ids.ts';
import { type Micros, fromMillis, micros } from '../../../src/domain/units.ts';
import type { RateLimit } from '../../../src/domain/rate-budget.ts';
import type { Planner } from '../../../src/execution/orders/planner.ts';
import { BEGIN, aPlace, after, tickerOf } from '../../support/engine/builders.ts';
import { WINDOW, planner, released } from '../../support/engine/planners.ts';

const BUCKET: RateLimit = { model: 'token-bucket', refillPerSecond: 20, capacity: 4 };

let lastId = 0;
const newId = (): number => (lastId += 1);

const cancel = (): CancelCommand => ({
  type: 'cancel',
  lane: 'cancel',
  id: newId(),
  clientOrderId: clientOrderId('c'),
  venueOrderId: venueOrderId('v'),
  ticker: tickerOf(0),
  createdAt: BEGIN,
  validUntil: null,
});
const read = (lane: ReadLane = 'read'): ReadCommand => ({
  type: 'read',
  lane,
  id: newId(),
  target: { what: 'balance' },
  cursor: null,
  createdAt: BEGIN,
  validUntil: null,
});
const place = (lane: 'new' | 'reduce' = 'new', validUntil: Micros | null = null): RequestCommand =>
  aPlace({ lane, validUntil, id: newId() });
const command = (lane: Lane): RequestCommand => {
  if (lane === 'cancel') return cancel();
  return lane === 'new' || lane === 'reduce' ? place(lane) : read(lane);
};
const lanes = (commands: readonly RequestCommand[]): Lane[] => commands.map(({ lane }) => lane);

describe('release', () => {
  it('commands leave in the order of their lanes, and within a lane in order of arrival', () => {
    const plan = planner({}, { ...WINDOW, count: 100 });
    const commands = (['read', 'new', 'cancel', 'reduce', 'new', 'cancel'] as const).map(command);
    for (const one of commands) plan.enqueue(one);
    const out = released(plan, after(0));
    expect(lanes(out)).toEqual(['cancel', 'cancel', 'reduce', 'new', 'new', 'read']);
    expect(out.map(({ id }) => id)).toEqual([2, 5, 3, 1, 4, 0].map((i) => commands[i]!.id));
  });

  it('nothing leaves and no wake-up is requested while nothing waits', () => {
    const plan = planner();
    expect(released(plan, after(0))).toEqual([]);
    expect(plan.wakeAt(after(0))).toBeNull();
  });

  it('a new order never takes units that a waiting cancel needs', () => {
    const plan = planner();
    for (let i = 0; i < 6; i++) plan.enqueue(cancel());
    plan.enqueue(place());
    const first = released(plan, after(0));
    expect(lanes(first)).toEqual(['cancel', 'cancel', 'cancel', 'cancel']);
    for (const { id } of first) plan.settleRequest(id, after(0));
    expect(lanes(released(plan, after(101)))).toEqual(['cancel', 'cancel', 'new']);
  });

  it('only cancels use the reserve, even when a position could be reduced', () => {
    const plan = planner({ cancelReserve: 2 });
    for (let i = 0; i < 4; i++) plan.enqueue(place());
    expect(released(plan, after(0))).toHaveLength(2);
    plan.enqueue(place('reduce'));
    plan.enqueue(cancel());
    plan.enqueue(cancel());
    expect(lanes(released(plan, after(0)))).toEqual(['cancel', 'cancel']);
    expect(plan.load.waiting).toBe(3);
  });

  it('orders that reduce a position do not spend the reserve for cancels', () => {
    const plan = planner({ cancelReserve: 2 });
    for (let i = 0; i < 4; i++) plan.enqueue(place('reduce'));
    expect(lanes(released(plan, after(0)))).toEqual(['reduce', 'reduce']);
    for (let i = 0; i < 3; i++) plan.enqueue(cancel());
    expect(lanes(released(plan, after(0)))).toEqual(['cancel', 'cancel']);
  });

  it('care uses only a part of the read budget, and one place in flight is left to probes', () => {
    const plan = planner({ careReserve: 2, inFlightMax: { read: 3, trade: 100 } });
    for (let i = 0; i < 4; i++) plan.enqueue(read('care'));
    expect(released(plan, after(0))).toHaveLength(2);
    plan.enqueue(read());
    expect(released(plan, after(0))).toEqual([]);
    plan.enqueue(read('probe'));
    expect(lanes(released(plan, after(0)))).toEqual(['probe']);
  });

  it('probes leave before reads, and reads before care', () => {
    const plan = planner({}, { ...WINDOW, count: 100 });
    for (const lane of ['care', 'read', 'probe', 'care', 'probe'] as const) plan.enqueue(read(lane));
    expect(lanes(released(plan, after(0)))).toEqual(['probe', 'probe', 'read', 'care', 'care']);
  });

  it('a full lane accepts no command, except cancels', () => {
    const plan = planner({ waitingMax: 2 }, { ...WINDOW, count: 1 });
    expect([place(), place(), place()].map((one) => plan.enqueue(one))).toEqual([true, true, false]);
    expect([read(), read(), read()].map((one) => plan.enqueue(one))).toEqual([true, true, false]);
    expect([cancel(), cancel(), cancel()].map((one) => plan.enqueue(one))).toEqual([true, true, true]);
    expect(plan.load.waiting).toBe(7);
  });

  it('a cancel leaves however many reads wait, because reads have their own budget', () => {
    const plan = planner();
    for (let i = 0; i < 50; i++) plan.enqueue(read());
    plan.enqueue(cancel());
    expect(lanes(released(plan, after(0)))).toEqual(['cancel', 'read', 'read', 'read', 'read']);
  });

  it('a cancel leaves even when the most requests are unanswered', () => {
    const plan = planner({ inFlightMax: { read: 1, trade: 1 } });
    plan.enqueue(place());
    plan.enqueue(place());
    expect(released(plan, after(0))).toHaveLength(1);
    plan.enqueue(cancel());
    expect(lanes(released(plan, after(0)))).toEqual(['cancel']);
    expect(plan.wakeAt(after(0))).toBeNull();
  });

  it('the next request leaves when an answer makes room', () => {
    const plan = planner({ inFlightMax: { read: 1, trade: 1 } });
    const [first, second] = [place(), place()];
    plan.enqueue(first);
    plan.enqueue(second);
    expect(released(plan, after(0))).toEqual([first]);
    expect(plan.isWaitingOrSent(({ id }) => id === first.id)).toBe(true);
    expect(plan.settleRequest(first.id, after(0))).toBe(first);
    expect(plan.settleRequest(first.id, after(0))).toBeUndefined();
    expect(released(plan, after(0))).toEqual([second]);
    expect(plan.load).toEqual({ waiting: 0, inFlight: 1 });
  });
});

describe('deadlines', () => {
  it('a command is dropped one microsecond after its deadline, and not before', () => {
    const plan = planner({}, { ...WINDOW, count: 1 });
    plan.enqueue(place('new', after(10)));
    const late = place('new', after(10));
    plan.enqueue(late);
    const out: RequestCommand[] = [];
    expect(plan.releaseDue(after(10), out)).toEqual([]);
    expect(out).toHaveLength(1);
    expect(plan.wakeAt(after(10))).toBe(micros(after(10) + 1));
    expect(plan.releaseDue(micros(after(10) + 1), out)).toEqual([late]);
    expect(out).toHaveLength(1);
    expect(plan.load.waiting).toBe(0);
  });
});

describe('the consequence of a late command', () => {
  it('a cancel that replaces a late decrease leaves before the new orders that waited behind it', () => {
    const plan = planner({}, { ...WINDOW, count: 100 });
    const late = place('reduce', after(10));
    const next = place('new', after(100));
    plan.enqueue(late);
    plan.enqueue(next);
    const out: RequestCommand[] = [];
    expect(plan.releaseDue(after(20), out)).toEqual([late]);
    expect(out).toEqual([]);
    const replacement = cancel();
    plan.enqueue(replacement);
    expect(plan.releaseDue(after(20), out)).toEqual([]);
    expect(out).toEqual([replacement, next]);
  });
});

describe('rate refusals', () => {
  it('a refused command comes first again, and its budget pauses as long as the venue says', () => {
    const plan = planner();
    const [first, second] = [place(), place()];
    plan.enqueue(first);
    released(plan, after(0));
    plan.enqueue(second);
    plan.settleRequest(first.id, after(0));
    plan.deferCommand(first, fromMillis(300), after(1));
    expect(plan.wakeAt(after(1))).toBe(after(301));
    expect(released(plan, micros(after(301) - 1))).toEqual([]);
    expect(released(plan, after(301))).toEqual([first, second]);
  });

  it('a refusal pauses for at most a minute, however long the venue says, because a cancel may wait', () => {
    const plan = planner();
    const one = cancel();
    plan.enqueue(one);
    released(plan, after(0));
    plan.settleRequest(one.id, after(0));
    plan.deferCommand(one, fromMillis(86_400_000), after(0));
    expect(plan.wakeAt(after(0))).toBe(after(60_000));
    expect(released(plan, after(60_000))).toEqual([one]);
  });

  it('a refusal without a wait pauses longer each time, until a request succeeds', () => {
    const plan = planner({}, { ...WINDOW, count: 1000 });
    const one = place();
    plan.enqueue(one);
    const waits: number[] = [];
    let now: Micros = after(0);
    for (let i = 0; i < 4; i++) {
      expect(released(plan, now)).toEqual([one]);
      plan.settleRequest(one.id, now);
      if (i === 3) plan.resetBackoff('trade');
      plan.deferCommand(one, null, now);
      const wake = plan.wakeAt(now)!;
      waits.push(wake - now);
      now = wake;
    }
    expect(waits).toEqual([10_000, 20_000, 30_000, 10_000]);
  });

  it('a refused read does not pause orders', () => {
    const plan = planner();
    const one = read();
    plan.enqueue(one);
    released(plan, after(0));
    plan.settleRequest(one.id, after(0));
    plan.deferCommand(one, fromMillis(1000), after(0));
    plan.enqueue(place());
    expect(lanes(released(plan, after(0)))).toEqual(['new']);
  });
});

describe('removed commands', () => {
  it('a command that has not left can be removed and never leaves', () => {
    const plan = planner();
    const [a, b] = [place(), place('reduce')];
    plan.enqueue(a);
    plan.enqueue(b);
    expect(plan.removeWaiting(({ id }) => id === a.id)).toEqual([a]);
    expect(plan.removeWaiting(({ id }) => id === a.id)).toEqual([]);
    expect(released(plan, after(0))).toEqual([b]);
  });

  it('the others of a lane keep their sequence, and leave in place of the removed ones', () => {
    const plan = planner({}, { model: 'rolling-window', count: 3, windowMs: 100 });
    const commands = Array.from({ length: 6 }, () => place());
    for (const each of commands) plan.enqueue(each);
    const isUnwanted = ({ id }: RequestCommand): boolean => commands.findIndex((each) => each.id === id) % 2 === 0;
    expect(plan.removeWaiting(isUnwanted)).toEqual(commands.filter(isUnwanted));
    expect(released(plan, after(0))).toEqual(commands.filter((each) => !isUnwanted(each)));
  });
});

describe('commands that cost too much', () => {
  it('a command that its budget can never hold is refused with a message', () => {
    expect(() => planner({ cost: () => 5 }).enqueue(cancel())).toThrow(AssertionFault);
    expect(() => planner({ cancelReserve: 4 }).enqueue(place())).toThrow(
      /needs 5 units, the reserve of its lane included, of at most 4/,
    );
    expect(() => planner({ cancelReserve: 3 }).enqueue(place())).not.toThrow();
  });
});

describe.each([
  ['a rolling window', WINDOW],
  ['a token bucket', BUCKET],
] as const)('a planner woken only at its own times, with %s', (_, limit) => {
  const waiting = fc.array(
    fc.record({
      lane: fc.constantFrom<Lane>('cancel', 'reduce', 'new', 'read'),
      validMs: fc.option(fc.nat(400)),
      answerMs: fc.nat(150),
    }),
    { minLength: 1, maxLength: 40 },
  );

  it('releases or drops every command, never late and as early as possible', () => {
    fc.assert(
      fc.property(waiting, fc.integer({ min: 1, max: 3 }), (rows, inFlightMax) => {
        const plan = planner({ cancelReserve: 1, inFlightMax: { read: inFlightMax, trade: inFlightMax } }, limit);
        const answerMsById = new Map<number, number>();
        for (const { lane, validMs, answerMs } of rows) {
          const one =
            lane === 'new' || lane === 'reduce' ? place(lane, validMs === null ? null : after(validMs)) : command(lane);
          answerMsById.set(one.id, answerMs);
          plan.enqueue(one);
        }
        const answers: { at: number; id: number }[] = [];
        let now: Micros = after(0);
        let done = 0;
        for (let step = 0; step < 500; step++) {
          const out: RequestCommand[] = [];
          const late: RequestCommand[] = [];
          for (let some = plan.releaseDue(now, out); some.length > 0; some = plan.releaseDue(now, out))
            late.push(...some);
          for (const { validUntil } of late) expect(now).toBeGreaterThan(validUntil!);
          for (const { validUntil } of out) if (validUntil !== null) expect(now).toBeLessThanOrEqual(validUntil);
          // A second release at the same moment sends nothing more.
          expect(released(plan, now)).toEqual([]);
          done += late.length + out.length;
          for (const { id } of out) answers.push({ at: now + answerMsById.get(id)! * 1000, id });
          const wake = plan.wakeAt(now);
          const answer = answers.sort((a, b) => a.at - b.at)[0];
          if (wake === null && !answer) break;
          if (wake !== null) expect(wake).toBeGreaterThan(now);
          const isAnswer = answer !== undefined && (wake === null || answer.at <= wake);
          now = micros(isAnswer ? answer.at : wake!);
          if (isAnswer) plan.settleRequest(answers.shift()!.id, now);
        }
        expect(done).toBe(rows.length);
        expect(plan.load).toEqual({ waiting: 0, inFlight: 0 });
      }),
    );
  });

  it('wakes no later than a command could leave', () => {
    fc.assert(
      fc.property(waiting, fc.integer({ min: 1, max: 200 }), (rows, stepMs) => {
        const make = (): Planner => {
          const plan = planner({ cancelReserve: 1 }, limit);
          for (const { lane } of rows) plan.enqueue({ ...command(lane), id: newId() });
          released(plan, after(0));
          return plan;
        };
        const wake = make().wakeAt(after(0));
        // Another planner in the same state, asked earlier, has nothing to send.
        const early = micros(after(0) + Math.min(stepMs * 1000, (wake ?? after(1_000_000)) - after(0) - 1));
        if (early > after(0)) expect(released(make(), early)).toEqual([]);
        if (wake !== null) expect(released(make(), wake).length).toBeGreaterThan(0);
      }),
    );
  });
});

describe('assertions', () => {
  it('refuses reserves below 0 and budgets that allow no request', () => {
    expect(() => planner({ cancelReserve: -1 })).toThrow('must not be negative');
    expect(() => planner({ careReserve: -1 })).toThrow('must not be negative');
    expect(() => planner({ inFlightMax: { read: 1, trade: 0 } })).toThrow('at least one request');
  });

  it('refuses to queue a command again before it is settled', () => {
    const queue = planner();
    const command = read();
    queue.enqueue(command);
    queue.releaseDue(BEGIN, []);
    expect(() => queue.deferCommand(command, null, BEGIN)).toThrow(AssertionFault);
  });

  it('refuses to queue a command that is in flight', () => {
    const queue = planner();
    const command = read();
    queue.enqueue(command);
    queue.releaseDue(BEGIN, []);
    expect(() => queue.enqueue(command)).toThrow('must not be queued while it is in flight');
  });

  it('refuses to send a command twice', () => {
    const queue = planner();
    const command = read();
    queue.enqueue(command);
    queue.enqueue(command);
    expect(() => queue.releaseDue(BEGIN, [])).toThrow('must not be sent again');
  });
});

describe('the load by lane', () => {
  it('counts the commands that wait, each in its lane, and no longer once they are sent', () => {
    const lanes: readonly Lane[] = ['cancel', 'reduce', 'new', 'new', 'probe', 'read', 'care'];
    const of = planner({ cancelReserve: 1 });
    for (const lane of lanes) of.enqueue(command(lane));
    expect(of.waitingByLane()).toEqual({ cancel: 1, reduce: 1, new: 2, probe: 1, read: 1, care: 1 });
    expect(of.cancelReserve).toBe(1);
    released(of, BEGIN);
    const waiting = Object.values(of.waitingByLane()).reduce((sum, count) => sum + count, 0);
    expect(waiting).toBe(of.load.waiting);
    expect(of.waitingByLane()).toMatchObject({ cancel: 0, reduce: 0 });
  });
});
