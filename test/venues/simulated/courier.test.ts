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
function inTurn(delays: readonly number[]): LatencyModel {
  let count = 0;
  return { name: 'turns', delay: () => delays[count++ % delays.length]! };
}

interface LinkSetup {
  readonly link: Courier;
  venueTime: Micros;
}

function linkSetup(latency: LatencyModel): LinkSetup {
  const setup: { -readonly [Key in keyof LinkSetup]: LinkSetup[Key] } = { link: undefined!, venueTime: micros(T0) };
  setup.link = new Courier({ latency, draw: () => 0.5, venueTime: () => setup.venueTime });
  return setup;
}

function allMessages(link: Courier): Parcel[] {
  const messages: Parcel[] = [];
  for (let next = link.next(); next !== undefined; next = link.next()) messages.push(next);
  return messages;
}

describe('the latency link', () => {
  it('carries a command to the venue with its delay and the time it was sent', () => {
    const { link } = linkSetup(inTurn([150_000]));
    const command = aPlace();
    expect(link.send(command, micros(T0))).toBe(T0 + 150_000);
    expect(link.nextAt()).toBe(T0 + 150_000);
    expect(link.next()).toMatchObject({ leg: 'order', at: T0 + 150_000, sentAt: T0, command });
    expect(link.nextAt()).toBe(Number.POSITIVE_INFINITY);
    expect(link.next()).toBeUndefined();
  });

  it('adds the clock offset to an answer on its arrival', () => {
    const { link } = linkSetup(inTurn([70_000]));
    link.answer([
      { kind: 'answered', commandId: 1, ok: true, clockOffset: null },
      { kind: 'exchange-status', isActive: true, isTrading: true },
    ]);
    const events = allMessages(link).map((message) => message.leg === 'answer' && message.event);
    expect(events).toEqual([
      { kind: 'answered', at: T0 + 70_000, commandId: 1, ok: true, clockOffset: 70_000 },
      { kind: 'exchange-status', at: T0 + 70_000, isActive: true, isTrading: true },
    ]);
  });

  it("changes nothing of an answer's events except the time", () => {
    const untimed: Required<Omit<MarketDefined, 'at'>>[] = [0, 1].map((number) => {
      return { kind: 'market', askedAt: micros(T0 - number), market: aMarket(number) };
    });
    const { link } = linkSetup(inTurn([70_000]));
    link.answer(untimed);
    const { askedAt: _askedAt, ...withoutAskedAt } = untimed[0]!;
    link.answer([withoutAskedAt]);
    const events = allMessages(link).map((message) => message.leg === 'answer' && message.event);
    expect(events).toEqual([...untimed, withoutAskedAt].map((event) => ({ ...event, at: T0 + 70_000 })));
  });

  it('lets no message overtake a later arrival held on the same leg', () => {
    const setup = linkSetup(inTurn([1000]));
    expect(setup.link.hold('feed', micros(T0 + 5000))).toBe(T0 + 5000);
    expect(setup.link.hold('feed', micros(T0 + 4000))).toBe(T0 + 5000);
    setup.link.feed({ kind: 'feed-heard' });
    expect(setup.link.nextAt()).toBe(T0 + 5000);
    setup.link.answer([{ kind: 'exchange-status', isActive: true, isTrading: true }]);
    expect(setup.link.nextAt()).toBe(T0 + 1000);
  });

  it('keeps each leg in order and loses nothing, whatever the delays', () => {
    const step = fc.record({
      leg: fc.constantFrom<Leg>('feed', 'order', 'answer'),
      after: fc.nat({ max: 500 }),
    });
    fc.assert(
      fc.property(fc.array(step), fc.array(fc.nat({ max: 1000 }), { minLength: 1 }), (steps, delays) => {
        const setup = linkSetup(inTurn(delays));
        const { link } = setup;
        const sent: Record<Leg, number[]> = { feed: [], order: [], answer: [] };
        const received: Record<Leg, number[]> = { feed: [], order: [], answer: [] };
        let lastAt = 0;
        const receive = (until: number): void => {
          while (link.nextAt() <= until) {
            const message = link.next()!;
            expect(message.at).toBeGreaterThanOrEqual(lastAt);
            lastAt = message.at;
            received[message.leg].push(message.leg === 'order' ? message.command.id : numberOf(message));
          }
        };
        for (const [i, { leg, after }] of steps.entries()) {
          setup.venueTime = micros(setup.venueTime + after);
          receive(setup.venueTime);
          sent[leg].push(i);
          if (leg === 'order') link.send(aPlace({ id: i }), setup.venueTime);
          else if (leg === 'feed') link.feed({ kind: 'feed-down', reason: String(i) });
          else link.answer([{ kind: 'read-failed', commandId: i, reason: '', isRefused: false }]);
        }
        expect(link.count).toBe(steps.length - received.feed.length - received.order.length - received.answer.length);
        receive(Number.MAX_VALUE);
        expect(received).toEqual(sent);
      }),
    );
  });
});

function numberOf(message: Exclude<Parcel, { leg: 'order' }>): number {
  const { event } = message;
  if (event.kind === 'feed-down') return Number(event.reason);
  return event.kind === 'read-failed' ? event.commandId : -1;
}
