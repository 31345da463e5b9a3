// Requests whose signatures are checked on other threads: whatever check ends first, they are handled in the sequence of
// their arrival, each once.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArrivalOrder } from '../../../src/exchange/api/arrival-order.ts';
import type { SignatureCheck } from '../../../src/exchange/api/signature-threads.ts';

const CHECK: SignatureCheck = { keyId: 'ann', text: 'text', signature: 'signature' };
/** Checks on the event loop within a window. */
const LIGHT = 50;

/** A checker whose results the test gives. */
class HeldChecks {
  readonly held: ((isSigned: boolean) => void)[] = [];

  check(_check: SignatureCheck, done: (isSigned: boolean) => void): void {
    this.held.push(done);
  }
}

function busyOrder(now = () => 0): { readonly order: ArrivalOrder; readonly checks: HeldChecks } {
  const checks = new HeldChecks();
  const order = new ArrivalOrder(checks, now);
  for (let count = 0; count < LIGHT; count++) order.handleInTurn(CHECK, () => undefined);
  return { order, checks };
}

/** Signed requests that arrive at the time of a clock, and the results of those that were handled. */
function arrivals() {
  const checks = new HeldChecks();
  const clock = { now: 0 };
  const order = new ArrivalOrder(checks, () => clock.now);
  const handled: unknown[] = [];
  const arrive = (count: number): void => {
    for (let number = 0; number < count; number++) order.handleInTurn(CHECK, (isSigned) => handled.push(isSigned));
  };
  return { clock, checks, handled, arrive };
}

describe('requests in the sequence of their arrival', () => {
  it('are handled at once while there are few', () => {
    const { clock, checks, handled, arrive } = arrivals();
    arrive(LIGHT);
    clock.now = 100;
    arrive(LIGHT);
    expect(handled).toEqual(Array.from({ length: 2 * LIGHT }, () => undefined));
    arrive(1);
    expect([handled.length, checks.held.length]).toEqual([2 * LIGHT, 1]);
    checks.held[0]?.(true);
    expect(handled.at(-1)).toBe(true);
  });

  it('go on to the threads in the window after a busy one, and come back after a quiet one', () => {
    const { clock, checks, handled, arrive } = arrivals();
    const endAll = (): void => checks.held.splice(0).forEach((done) => done(true));
    arrive(2 * LIGHT);
    expect([handled.length, checks.held.length]).toEqual([LIGHT, LIGHT]);
    endAll();
    clock.now = 100;
    arrive(1);
    // Every check counts, also one that waits behind others.
    expect(checks.held).toHaveLength(1);
    endAll();
    clock.now = 200;
    arrive(LIGHT);
    expect(checks.held).toHaveLength(0);
    arrive(2 * LIGHT);
    endAll();
    clock.now = 400;
    arrive(1);
    expect(handled.at(-1)).toBe(undefined);
  });

  it('wait for those before them, even without a signature', () => {
    const { order, checks } = busyOrder();
    const handled: string[] = [];
    order.handleInTurn(CHECK, (isSigned) => handled.push(`order ${isSigned}`));
    order.handleInTurn(null, (isSigned) => handled.push(`read ${isSigned}`));
    expect(handled).toEqual([]);
    checks.held[0]?.(false);
    expect(handled).toEqual(['order false', 'read undefined']);
    order.handleInTurn(null, () => handled.push('alone'));
    expect(handled).toHaveLength(3);
  });

  it('are each handled once and in sequence, whatever check ends first', () => {
    const arrivals = fc.array(
      fc.record({ isSigned: fc.option(fc.boolean()), ends: fc.array(fc.nat(), { maxLength: 3 }) }),
      {
        minLength: 1,
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(arrivals, (requests) => {
        const { order, checks } = busyOrder();
        const handled: [number, boolean | undefined][] = [];
        const open: [done: (isSigned: boolean) => void, isSigned: boolean][] = [];
        const endOne = (choice: number): void => {
          const [ended] = open.splice(choice % Math.max(1, open.length), 1);
          ended?.[0](ended[1]);
        };
        requests.forEach(({ isSigned, ends }, number) => {
          const before = checks.held.length;
          order.handleInTurn(isSigned === null ? null : CHECK, (found) => handled.push([number, found]));
          const done = checks.held[before];
          if (done !== undefined) open.push([done, isSigned === true]);
          ends.forEach(endOne);
        });
        while (open.length > 0) endOne(0);
        expect(handled).toEqual(
          requests.map(({ isSigned }, number) => [number, isSigned === null ? undefined : isSigned]),
        );
      }),
    );
  });
});
