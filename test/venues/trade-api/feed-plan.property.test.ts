// Whatever is wanted of a feed, and whatever it replies or forgets: in the end every wanted book is followed once.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Ticker, ticker } from '../../../src/domain/ids.ts';
import { type SubscriptionCommand, FeedPlan, type NumberedCommand } from '../../../src/venues/trade-api/feed-plan.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service.ts';
import { runs } from '../../support/runs.ts';

const { feed } = serviceProfile;

test('ends with one book subscription for every market that is wanted, whatever happens in between', () => {
  const names = Array.from({ length: 12 }, (_, i) => ticker(`KX-${i}`));
  const step = fc.oneof(
    fc.record({
      do: fc.constantFrom('want' as const, 'unwant' as const, 'resync' as const, 'renew' as const),
      tickers: fc.subarray(names),
    }),
    fc.record({ do: fc.constant('end' as const), sid: fc.integer({ min: 1, max: 20 }) }),
    fc.record({ do: fc.constantFrom('reconnect' as const, 'hear' as const, 'reply' as const, 'refuse' as const) }),
  );
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 40 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 5 }),
      (steps, can, perCommand) => {
        const plan = new FeedPlan({
          feed: { ...feed, canResnapshot: can },
          hasKey: false,
          tickersPerCommand: perCommand,
        });
        const venue = new Venue(plan);
        const wanted = new Set<Ticker>();
        plan.connect();
        for (const one of steps) {
          if ('tickers' in one) {
            for (const name of one.tickers) wanted[one.do === 'unwant' ? 'delete' : 'add'](name);
            plan[one.do](one.tickers);
          } else if (one.do === 'end') venue.end(one.sid);
          else if (one.do === 'reconnect') venue.reconnect();
          else if (one.do === 'hear') venue.hear();
          else venue.reply(one.do === 'refuse');
        }
        venue.settle();
        expect(venue.books.toSorted()).toEqual([...wanted].toSorted());
      },
    ),
    { numRuns: runs(1000) },
  );
});

const REFUSED = { kind: 'refused', tickers: [] } as const;

/** A feed that does what it is asked, as far as subscriptions go, and replies when it is told to. */
class Venue {
  readonly #plan: FeedPlan;
  readonly #bookTickers = new Map<number, readonly Ticker[]>();
  #heard: NumberedCommand[] = [];
  #sid = 0;

  constructor(plan: FeedPlan) {
    this.#plan = plan;
  }

  /** Every market whose book is followed, as often as it is. */
  get books(): Ticker[] {
    return [...this.#bookTickers.values()].flat();
  }

  reconnect(): void {
    this.#bookTickers.clear();
    this.#heard = [];
    this.#plan.disconnect();
    this.#plan.connect();
  }

  end(sid: number): void {
    if (this.#bookTickers.delete(sid)) this.#plan.heard({ ...REFUSED, id: null, sid, code: 10 });
  }

  /** Takes in what is asked, without a word. */
  hear(): void {
    for (let sent = this.#plan.next(); sent !== null; sent = this.#plan.next()) this.#heard.push(sent);
  }

  /** Replies to everything it has heard, or refuses to change the subscriptions there are. */
  reply(refusesChanges: boolean): void {
    this.hear();
    for (const sent of this.#heard.splice(0)) this.#answer(sent, refusesChanges);
  }

  settle(): void {
    do this.reply(false);
    while (this.#plan.hasNext);
  }

  #answer({ id, command }: NumberedCommand, refusesChanges: boolean): void {
    if (command.kind === 'unsubscribe') this.#bookTickers.delete(command.sid);
    else if (command.kind === 'subscribe') this.#grant(id, command);
    else if (refusesChanges || !this.#bookTickers.has(command.sid))
      this.#plan.heard({ ...REFUSED, id, sid: null, code: 7 });
    else if (command.kind === 'delete') {
      const left = this.#bookTickers.get(command.sid)!.filter((name) => !command.tickers.includes(name));
      this.#bookTickers.set(command.sid, left);
    }
  }

  #grant(id: number, { channels, tickers }: Extract<SubscriptionCommand, { kind: 'subscribe' }>): void {
    for (const channel of channels) {
      this.#sid += 1;
      if (channel === 'book') this.#bookTickers.set(this.#sid, tickers ?? []);
      this.#plan.heard({ kind: 'subscribed', id, channel, sid: this.#sid });
    }
  }
}
