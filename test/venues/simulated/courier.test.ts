// The latency link between a bot and a simulated venue: order within each leg, one order among all legs, nothing lost.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MarketDefined } from '../../../src/domain/event.ts';
import { type Micros, micros } from '../../../src/domain/units.ts';
import { Courier, type Parcel } from '../../../src/venues/simulated/courier.ts';
import type { LatencyModel, Leg } from '../../../src/venues/simulated/ports.ts';
import { aMarket, aPlace } from '../../support/engine/builders.ts';

const T0 = 1_000_000;

/** Returns the delays in turn, over and over. */
function turns(delays: readonly number[]): LatencyModel {
  let count = 0;
  return { name: 'turns', delay: () => delays[count++ % delays.length]! };
}

interface Road {
  readonly courier: Courier;
  venueTime: Micros;
}

function aRoad(latency: LatencyModel): Road {
  const road: { -readonly [Key in keyof Road]: Road[Key] } = { courier: undefined!, venueTime: micros(T0) };
  road.courier = new Courier({ latency, draw: () => 0.5, venueTime: () => road.venueTime });
  return road;
}

function drained(courier: Courier): Parcel[] {
  const parcels: Parcel[] = [];
  for (let next = courier.next(); next !== undefined; next = courier.next()) parcels.push(next);
  return parcels;
}

describe('the latency link', () => {
  it('carries a command to the venue with its delay and the time it was sent', () => {
    const { courier } = aRoad(turns([150_000]));
    const command = aPlace();
    expect(courier.send(command, micros(T0))).toBe(T0 + 150_000);
    expect(courier.nextAt()).toBe(T0 + 150_000);
    expect(courier.next()).toMatchObject({ leg: 'order', at: T0 + 150_000, sentAt: T0, command });
    expect(courier.nextAt()).toBe(Number.POSITIVE_INFINITY);
    expect(courier.next()).toBeUndefined();
  });

  it('adds the clock offset to an answer on its arrival', () => {
    const { courier } = aRoad(turns([70_000]));
    courier.answer([
      { kind: 'answered', commandId: 1, ok: true, clockOffset: null },
      { kind: 'exchange-status', isActive: true, isTrading: true },
    ]);
    const events = drained(courier).map((parcel) => parcel.leg === 'answer' && parcel.event);
    expect(events).toEqual([
      { kind: 'answered', at: T0 + 70_000, commandId: 1, ok: true, clockOffset: 70_000 },
      { kind: 'exchange-status', at: T0 + 70_000, isActive: true, isTrading: true },
    ]);
  });

  it("changes nothing of an answer's events except the time", () => {
    const told: Required<Omit<MarketDefined, 'at'>>[] = [0, 1].map((number) => {
      return { kind: 'market', askedAt: micros(T0 - number), market: aMarket(number) };
    });
    const { courier } = aRoad(turns([70_000]));
    courier.answer(told);
    const { askedAt: _askedAt, ...unasked } = told[0]!;
    courier.answer([unasked]);
    const events = drained(courier).map((parcel) => parcel.leg === 'answer' && parcel.event);
    expect(events).toEqual([...told, unasked].map((event) => ({ ...event, at: T0 + 70_000 })));
  });

  it('lets no message overtake a later arrival held on the same leg', () => {
    const road = aRoad(turns([1000]));
    expect(road.courier.hold('feed', micros(T0 + 5000))).toBe(T0 + 5000);
    expect(road.courier.hold('feed', micros(T0 + 4000))).toBe(T0 + 5000);
    road.courier.feed({ kind: 'feed-heard' });
    expect(road.courier.nextAt()).toBe(T0 + 5000);
    road.courier.answer([{ kind: 'exchange-status', isActive: true, isTrading: true }]);
    expect(road.courier.nextAt()).toBe(T0 + 1000);
  });

  it('keeps each leg in order and loses nothing, whatever the delays', () => {
    const step = fc.record({
      leg: fc.constantFrom<Leg>('feed', 'order', 'answer'),
      after: fc.nat({ max: 500 }),
    });
    fc.assert(
      fc.property(fc.array(step), fc.array(fc.nat({ max: 1000 }), { minLength: 1 }), (steps, delays) => {
        const road = aRoad(turns(delays));
        const { courier } = road;
        const sent: Record<Leg, number[]> = { feed: [], order: [], answer: [] };
        const got: Record<Leg, number[]> = { feed: [], order: [], answer: [] };
        let lastAt = 0;
        const take = (until: number): void => {
          while (courier.nextAt() <= until) {
            const parcel = courier.next()!;
            expect(parcel.at).toBeGreaterThanOrEqual(lastAt);
            lastAt = parcel.at;
            got[parcel.leg].push(parcel.leg === 'order' ? parcel.command.id : numberOf(parcel));
          }
        };
        for (const [i, { leg, after }] of steps.entries()) {
          road.venueTime = micros(road.venueTime + after);
          take(road.venueTime);
          sent[leg].push(i);
          if (leg === 'order') courier.send(aPlace({ id: i }), road.venueTime);
          else if (leg === 'feed') courier.feed({ kind: 'feed-down', reason: String(i) });
          else courier.answer([{ kind: 'read-failed', commandId: i, reason: '', isRefused: false }]);
        }
        expect(courier.count).toBe(steps.length - got.feed.length - got.order.length - got.answer.length);
        take(Number.MAX_VALUE);
        expect(got).toEqual(sent);
      }),
    );
  });
});

function numberOf(parcel: Exclude<Parcel, { leg: 'order' }>): number {
  const { event } = parcel;
  if (event.kind === 'feed-down') return Number(event.reason);
  return event.kind === 'read-failed' ? event.commandId : -1;
}
