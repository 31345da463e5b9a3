// The latency link between a bot and a simulated venue: order within each leg, one order among all legs, nothing lost.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MarketDefined } from '../../../../src/domain/event.ts';
import { type Micros, micros } from '../../../../src/domain/units.ts';
import { LatencyLink, type MessageInFlight } from '../../../../src/venues/simulated/models/latency-link.ts';
import type { LatencyModel, MessageLeg } from '../../../../src/venues/simulated/simulator-interfaces.ts';
import { aMarket, aPlace } from '../../../support/engine/builders.ts';

const T0 = 1_000_000;

/** Returns the delays in turn, over and over. */
function inTurn(delays: readonly number[]): LatencyModel {
  let count = 0;
  return { name: 'turns', drawDelay: () => delays[count++ % delays.length]! };
}

interface LinkSetup {
  readonly link: LatencyLink;
  venueTime: Micros;
}

function linkSetup(latency: LatencyModel): LinkSetup {
  const setup: { -readonly [Key in keyof LinkSetup]: LinkSetup[Key] } = { link: undefined!, venueTime: micros(T0) };
  setup.link = new LatencyLink({ latency, draw: () => 0.5, venueTime: () => setup.venueTime });
  return setup;
}

function allMessages(link: LatencyLink): MessageInFlight[] {
  const messages: MessageInFlight[] = [];
  for (let next = link.takeNext(); next !== undefined; next = link.takeNext()) messages.push(next);
  return messages;
}

describe('the latency link', () => {
  it('draws one delay for a batch, and one for the answers to its orders', () => {
    const { link } = linkSetup(inTurn([100_000, 30_000, 90_000]));
    const batch = { type: 'batch', commands: [aPlace({ id: 1 }), aPlace({ id: 2 })] } as const;
    expect(link.sendCommand(batch, micros(T0))).toBe(T0 + 100_000);
    expect(link.takeNext()).toMatchObject({ leg: 'order', at: T0 + 100_000, command: batch });
    for (const commandId of [1, 2])
      link.sendAnswer([{ kind: 'answered', commandId, ok: true, clockOffset: null, askedAt: micros(T0) }]);
    const single = { kind: 'answered', commandId: 3, ok: true, clockOffset: null, askedAt: micros(T0) } as const;
    link.sendAnswer([{ ...single }]);
    expect(allMessages(link)).toMatchObject([
      { at: T0 + 30_000, isFollowed: true },
      { at: T0 + 30_000, isFollowed: false },
      { at: T0 + 90_000, isFollowed: false },
    ]);
  });

  it('carries a command to the venue with its delay and the time it was sent', () => {
    const { link } = linkSetup(inTurn([150_000]));
    const command = aPlace();
    expect(link.sendCommand(command, micros(T0))).toBe(T0 + 150_000);
    expect(link.nextAt()).toBe(T0 + 150_000);
    expect(link.takeNext()).toMatchObject({ leg: 'order', at: T0 + 150_000, sentAt: T0, command });
    expect(link.nextAt()).toBe(Number.POSITIVE_INFINITY);
    expect(link.takeNext()).toBeUndefined();
  });

  it('adds the clock offset to an answer on its arrival', () => {
    const { link } = linkSetup(inTurn([70_000]));
    link.sendAnswer([
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
    link.sendAnswer(untimed);
    const { askedAt: _askedAt, ...withoutAskedAt } = untimed[0]!;
    link.sendAnswer([withoutAskedAt]);
    const events = allMessages(link).map((message) => message.leg === 'answer' && message.event);
    expect(events).toEqual([...untimed, withoutAskedAt].map((event) => ({ ...event, at: T0 + 70_000 })));
  });

  it('lets no message overtake a later arrival held on the same leg', () => {
    const setup = linkSetup(inTurn([1000]));
    expect(setup.link.keepBehind('feed', micros(T0 + 5000))).toBe(T0 + 5000);
    expect(setup.link.keepBehind('feed', micros(T0 + 4000))).toBe(T0 + 5000);
    setup.link.publish({ kind: 'feed-heard' });
    expect(setup.link.nextAt()).toBe(T0 + 5000);
    setup.link.sendAnswer([{ kind: 'exchange-status', isActive: true, isTrading: true }]);
    expect(setup.link.nextAt()).toBe(T0 + 1000);
  });

  it('keeps each leg in order and loses nothing, whatever the delays', () => {
    const step = fc.record({
      leg: fc.constantFrom<MessageLeg>('feed', 'order', 'answer'),
      after: fc.nat({ max: 500 }),
    });
    fc.assert(
      fc.property(fc.array(step), fc.array(fc.nat({ max: 1000 }), { minLength: 1 }), (steps, delays) => {
        const setup = linkSetup(inTurn(delays));
        const { link } = setup;
        const sent: Record<MessageLeg, number[]> = { feed: [], order: [], answer: [] };
        const received: Record<MessageLeg, number[]> = { feed: [], order: [], answer: [] };
        let lastAt = 0;
        const receive = (until: number): void => {
          while (link.nextAt() <= until) {
            const message = link.takeNext()!;
            expect(message.at).toBeGreaterThanOrEqual(lastAt);
            lastAt = message.at;
            received[message.leg].push(numberOf(message));
          }
        };
        for (const [i, { leg, after }] of steps.entries()) {
          setup.venueTime = micros(setup.venueTime + after);
          receive(setup.venueTime);
          sent[leg].push(i);
          if (leg === 'order') link.sendCommand(aPlace({ id: i }), setup.venueTime);
          else if (leg === 'feed') link.publish({ kind: 'feed-down', reason: String(i) });
          else link.sendAnswer([{ kind: 'read-failed', commandId: i, reason: '', isRefused: false }]);
        }
        expect(link.inFlightCount).toBe(
          steps.length - received.feed.length - received.order.length - received.answer.length,
        );
        receive(Number.MAX_VALUE);
        expect(received).toEqual(sent);
      }),
    );
  });
});

function numberOf(message: MessageInFlight): number {
  if (message.leg === 'order') return message.command.type === 'batch' ? -1 : message.command.id;
  const { event } = message;
  if (event.kind === 'feed-down') return Number(event.reason);
  return event.kind === 'read-failed' ? event.commandId : -1;
}
