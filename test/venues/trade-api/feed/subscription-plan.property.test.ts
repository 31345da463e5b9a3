// Random requests, replies and losses: in the end every wanted book is subscribed once.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Ticker, ticker } from '../../../../src/domain/ids.ts';
import type {
  SubscriptionCommand,
  NumberedCommand,
} from '../../../../src/venues/trade-api/feed/subscription-command.ts';
import { SubscriptionPlan } from '../../../../src/venues/trade-api/feed/subscription-plan.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { runCount } from '../../../support/runner/property-runs.ts';

const { feed } = serviceProfile;

test('ends with one book subscription for every wanted market, whatever happens in between', () => {
  const names = Array.from({ length: 12 }, (_, i) => ticker(`KX-${i}`));
  const step = fc.oneof(
    fc.record({
      do: fc.constantFrom('want' as const, 'unwant' as const, 'resync' as const, 'renew' as const),
      tickers: fc.subarray(names),
    }),
    fc.record({ do: fc.constant('end' as const), sid: fc.integer({ min: 1, max: 20 }) }),
    fc.record({ do: fc.constantFrom('reconnect' as const, 'receive' as const, 'reply' as const, 'refuse' as const) }),
  );
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 40 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 5 }),
      (steps, can, perCommand) => {
        const plan = new SubscriptionPlan({
          feed: { ...feed, canRequestSnapshot: can },
          hasKey: false,
          tickersPerCommand: perCommand,
        });
        const venue = new Venue(plan);
        const apply = {
          want: (tickers: readonly Ticker[]) => plan.addMarkets(tickers),
          unwant: (tickers: readonly Ticker[]) => plan.removeMarkets(tickers),
          resync: (tickers: readonly Ticker[]) => plan.requestSnapshots(tickers),
          renew: (tickers: readonly Ticker[]) => plan.resubscribeBooks(tickers),
        };
        const wanted = new Set<Ticker>();
        plan.connect();
        for (const action of steps) {
          if ('tickers' in action) {
            for (const name of action.tickers) wanted[action.do === 'unwant' ? 'delete' : 'add'](name);
            apply[action.do](action.tickers);
          } else if (action.do === 'end') venue.end(action.sid);
          else if (action.do === 'reconnect') venue.reconnect();
          else if (action.do === 'receive') venue.receive();
          else venue.reply(action.do === 'refuse');
        }
        venue.settle();
        expect(venue.books.toSorted()).toEqual([...wanted].toSorted());
      },
    ),
    { numRuns: runCount(1000) },
  );
});

const REFUSED = { kind: 'refused', tickers: [] } as const;

/** A feed that executes subscription commands, and replies on demand. */
class Venue {
  readonly #plan: SubscriptionPlan;
  readonly #bookTickers = new Map<number, readonly Ticker[]>();
  #received: NumberedCommand[] = [];
  #sid = 0;

  constructor(plan: SubscriptionPlan) {
    this.#plan = plan;
  }

  /** Every market with a book subscription, once per subscription. */
  get books(): Ticker[] {
    return [...this.#bookTickers.values()].flat();
  }

  reconnect(): void {
    this.#bookTickers.clear();
    this.#received = [];
    this.#plan.disconnect();
    this.#plan.connect();
  }

  end(sid: number): void {
    if (this.#bookTickers.delete(sid)) this.#plan.applyReply({ ...REFUSED, id: null, sid, code: 10 });
  }

  /** Receives the pending commands without replying. */
  receive(): void {
    for (let sent = this.#plan.takeNextCommand(); sent !== null; sent = this.#plan.takeNextCommand())
      this.#received.push(sent);
  }

  /** Replies to every received command, or refuses to change existing subscriptions. */
  reply(refusesChanges: boolean): void {
    this.receive();
    for (const sent of this.#received.splice(0)) this.#answer(sent, refusesChanges);
  }

  settle(): void {
    do this.reply(false);
    while (this.#plan.hasNext);
  }

  #answer({ id, command }: NumberedCommand, refusesChanges: boolean): void {
    if (command.kind === 'unsubscribe') this.#bookTickers.delete(command.sid);
    else if (command.kind === 'subscribe') this.#grant(id, command);
    else if (refusesChanges || !this.#bookTickers.has(command.sid))
      this.#plan.applyReply({ ...REFUSED, id, sid: null, code: 7 });
    else if (command.kind === 'delete') {
      const left = this.#bookTickers.get(command.sid)!.filter((name) => !command.tickers.includes(name));
      this.#bookTickers.set(command.sid, left);
    }
  }

  #grant(id: number, { channels, tickers }: Extract<SubscriptionCommand, { kind: 'subscribe' }>): void {
    for (const channel of channels) {
      this.#sid += 1;
      if (channel === 'book') this.#bookTickers.set(this.#sid, tickers ?? []);
      this.#plan.applyReply({ kind: 'subscribed', id, channel, sid: this.#sid });
    }
  }
}
