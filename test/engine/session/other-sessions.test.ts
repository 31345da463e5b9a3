// Two sessions on one account: the second does not begin, neither cancels the other's orders, and cancels by an unknown
// party raise an alarm.
import { describe, expect, it } from 'vitest';
import { mintClientOrderId, sessionName } from '../../../src/domain/orders/client-order-id.ts';
import type { ClientOrderId } from '../../../src/domain/ids.ts';
import { NOTHING_RESTORED } from '../../../src/domain/operator-order.ts';
import { type Micros, cents, contracts, micros, qty } from '../../../src/domain/units.ts';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import { BEGIN, M0, aFill, aPlace } from '../../support/engine/builders.ts';
import { EngineHarness, aStrategy, quoter } from '../../support/engine/engine-harness.ts';

/** A session is named after its start, by the clock of its machine. */
const AT_2026 = Date.UTC(2026, 0) * 1000;
const named = (seconds: number): string => sessionName(micros(AT_2026 + seconds * 1_000_000));
const OWN = named(100);
const EARLIER = named(50);
const LATER = named(150);
const idOf = (session: string, number = 1): ClientOrderId => mintClientOrderId({ session, place: 0, number });

interface Begun {
  readonly sessions?: readonly string[];
  readonly quotes?: boolean;
}

class Account {
  readonly harness: EngineHarness;

  constructor({ quotes = true }: Begun = {}) {
    this.harness = new EngineHarness({ strategies: quotes ? [aStrategy(quoter())] : [] });
  }

  /** An order of another session arrives, priced below the book. */
  arrives(id: ClientOrderId): this {
    this.harness.venue.restOrder({ ...aPlace({ price: cents(10) }), clientOrderId: id });
    return this;
  }

  begin({ sessions }: Begun = {}): this {
    const carried = { ...NOTHING_RESTORED, ...(sessions && { sessions }) };
    this.harness.step({ kind: 'start', at: this.harness.now, session: OWN, carried });
    this.harness.venue.feedUp();
    this.harness.run(5000);
    return this;
  }

  get notices(): readonly Notice[] {
    return this.harness.notices;
  }

  barred(): string[] {
    return this.notices.flatMap((notice) => (notice.type === 'barred' ? [notice.reason] : []));
  }

  alarms(code: string): string[] {
    return this.notices.flatMap((notice) => (notice.type === 'alarm' && notice.code === code ? [notice.text] : []));
  }

  halts(): string[] {
    return this.harness.engine.halts.listHalts().map(({ reason }) => reason);
  }

  rests(id: ClientOrderId): boolean {
    return this.harness.venue.resting().some(({ report }) => report.clientOrderId === id);
  }

  /** Makes the difference between the clocks known to the second. */
  knowsClocks(): this {
    const { harness } = this;
    const clockOffset = { sentAt: harness.now, receivedAt: harness.now, venueAt: harness.now };
    harness.engine.state.clock.observeAnswer(clockOffset);
    return this;
  }
}

describe('an order of another session at the start', () => {
  it("another session's order keeps this session from beginning, names that session, and is left alone to the end", () => {
    const account = new Account().arrives(idOf(EARLIER)).begin({ sessions: [] });
    const { harness } = account;
    expect(harness.engine.session.phase).toBe('clearing');
    expect(account.barred()).toEqual([
      `another session of Presage trades on this account: ${EARLIER}, begun 50 s before this one, by its order ` +
        `${idOf(EARLIER)} in M-0. Two would cancel each other's orders. End it first; if it is dead and its data ` +
        `folder lost, start with --take-over ${EARLIER}`,
    ]);
    expect(account.alarms('other-session')).toHaveLength(1);
    harness.run(60_000);
    expect(harness.places()).toEqual([]);
    harness.stop();
    expect(harness.engine.session.phase).toBe('stopped');
    expect(harness.commands('cancel')).toEqual([]);
    expect(account.rests(idOf(EARLIER))).toBe(true);
    expect(account.halts()).toEqual([]);
  });

  it("another session's order keeps this session from beginning even when that one began later", () => {
    expect(new Account().arrives(idOf(LATER)).begin({ sessions: [] }).barred()).toHaveLength(1);
  });

  it("another session's order keeps this session from beginning also when it appears while the account is being read", () => {
    const account = new Account();
    const { harness } = account;
    harness.venue.answerDelay = 300_000;
    harness.step({ kind: 'start', at: harness.now, session: OWN, carried: { ...NOTHING_RESTORED, sessions: [] } });
    harness.venue.feedUp();
    while (harness.engine.session.phase !== 'loading') harness.run(50);
    account.arrives(idOf(EARLIER));
    harness.run(20_000);
    expect(harness.engine.session.phase).toBe('loading');
    expect(account.barred()).toHaveLength(1);
    expect(harness.places()).toEqual([]);
  });

  it('an order is canceled when its session ran here before, or is taken over', () => {
    const account = new Account().arrives(idOf(EARLIER)).begin({ sessions: [EARLIER] });
    expect(account.barred()).toEqual([]);
    expect(account.rests(idOf(EARLIER))).toBe(false);
    expect(account.harness.engine.session.phase).toBe('trading');
  });

  it('an order is canceled where the journal does not say which sessions ran here, as in earlier versions', () => {
    const account = new Account().arrives(idOf(EARLIER)).begin();
    expect(account.rests(idOf(EARLIER))).toBe(false);
    expect(account.harness.engine.session.phase).toBe('trading');
  });

  it('an order that no session of Presage can have placed is treated by the policy', () => {
    for (const id of ['by-0-hand', 'doctor-1-1', '7-0-1'] as const) {
      const account = new Account().arrives(id as ClientOrderId).begin({ sessions: [] });
      expect(account.barred()).toEqual([]);
      expect(account.rests(id as ClientOrderId)).toBe(false);
    }
  });
});

describe('an order of another session during trading', () => {
  it("another session's order halts the later of the two sessions, which cancels only its own orders", () => {
    const account = new Account().begin({ sessions: [] });
    expect(account.harness.venue.resting()).toHaveLength(2);
    account.arrives(idOf(EARLIER)).harness.run(2000);
    expect(account.halts()).toEqual([expect.stringContaining(`${EARLIER}, begun`)]);
    expect(account.harness.venue.resting().map(({ report }) => report.clientOrderId)).toEqual([idOf(EARLIER)]);
  });

  it("another session's order only raises an alarm in the earlier of the two sessions, once a minute", () => {
    const account = new Account().begin({ sessions: [] });
    account.arrives(idOf(LATER, 1)).arrives(idOf(LATER, 2)).harness.run(2000);
    expect(account.alarms('other-session')).toHaveLength(1);
    expect(account.halts()).toEqual([]);
    expect(account.rests(idOf(LATER, 1)) && account.rests(idOf(LATER, 2))).toBe(true);
    account.harness.run(60_000);
    account.arrives(idOf(LATER, 3)).harness.run(1000);
    expect(account.alarms('other-session')).toHaveLength(2);
    expect(account.harness.engine.session.orders.otherSessions.isFromOtherSession(idOf(LATER, 9))).toBe(true);
  });

  it('the order of a session that ran here is canceled when placed before this session began, or soon after', () => {
    const account = new Account().begin({ sessions: [EARLIER] }).knowsClocks();
    const { venue } = account.harness;
    venue.now = micros(account.harness.now - 4_000_000);
    account.arrives(idOf(EARLIER, 2)).harness.run(1000);
    expect(account.rests(idOf(EARLIER, 2))).toBe(false);
    expect(account.halts()).toEqual([]);
  });

  it('the order of a session that ran here shows, when placed later, that the data folder was copied', () => {
    const account = new Account().begin({ sessions: [EARLIER] }).knowsClocks();
    account.arrives(idOf(EARLIER, 2)).harness.run(1000);
    expect(account.rests(idOf(EARLIER, 2))).toBe(true);
    expect(account.halts()).toHaveLength(1);
  });

  it('another session is detected by a fill as well, unless the fill may be older than this session', () => {
    const filled = (exchangeAt: Micros): Account => {
      const account = new Account({ quotes: false }).begin({ sessions: [] }).knowsClocks();
      const fill = aFill({ clientOrderId: idOf(EARLIER), qty: qty(100), exchangeAt });
      account.harness.venue.emitEvent({ kind: 'fill', fill });
      account.harness.run(100);
      return account;
    };
    expect(filled(micros(BEGIN + 100_000_000)).alarms('other-session')).toHaveLength(1);
    expect(filled(micros(BEGIN + 100_000_000)).halts()).toHaveLength(1);
    expect(filled(BEGIN).alarms('other-session')).toEqual([]);
  });
});

describe('the cancel of our order at the venue', () => {
  const trading = (): Account => new Account().begin({ sessions: [] });

  it('a cancel by an unknown party raises an alarm at once, and then one a minute with the count', () => {
    const account = trading();
    const { harness } = account;
    const [first] = harness.venue.resting();
    harness.venue.endOrder(first!, null);
    harness.run(1000);
    expect(account.alarms('canceled-elsewhere')).toEqual([
      expect.stringMatching(/^order \S+ in M-0 was canceled on this account, and not by this session: 1 so far/),
    ]);
    for (let number = 0; number < 5; number++) {
      harness.venue.changeLevel(M0, 'bid', { price: cents(20 + number), change: 100 });
      harness.run(1000);
      for (const order of harness.venue.resting()) harness.venue.endOrder(order, null);
      harness.run(1000);
    }
    expect(account.alarms('canceled-elsewhere')).toHaveLength(1);
    harness.run(60_000);
    harness.venue.changeLevel(M0, 'bid', { price: cents(30), change: 100 });
    harness.run(1000);
    for (const order of harness.venue.resting()) harness.venue.endOrder(order, null);
    harness.run(1000);
    expect(account.alarms('canceled-elsewhere')).toHaveLength(2);
  });

  it.each(['ExpiryCancel', 'CloseCancel', 'HaltCancel', 'SelfTradeCancel'])(
    'a cancel by the venue itself, for %s, raises no alarm',
    (reason) => {
      const account = trading();
      for (const order of account.harness.venue.resting()) account.harness.venue.endOrder(order, reason);
      account.harness.run(1000);
      expect(account.alarms('canceled-elsewhere')).toEqual([]);
    },
  );

  it('a cancel by this session raises no alarm, even when the answer to it is lost', () => {
    const account = trading();
    const { harness } = account;
    harness.venue.script.cancel = () => 'lose';
    harness.stop(20_000);
    expect(account.alarms('canceled-elsewhere')).toEqual([]);
  });

  it('the end of an order that was to trade at once raises no alarm', () => {
    const taker = aStrategy({
      onBook: ({ market }) => [
        { type: 'place', market, side: 'buy', price: cents(55), qty: contracts(5), timeInForce: 'ioc' },
      ],
    });
    const harness = new EngineHarness({ strategies: [taker] });
    harness.venue.script.place = () => 'take-half';
    harness.step({ kind: 'start', at: harness.now, session: OWN, carried: { ...NOTHING_RESTORED, sessions: [] } });
    harness.venue.feedUp();
    harness.run(1000);
    const notices = harness.notices.map((notice) => (notice.type === 'alarm' ? notice.code : notice.type));
    expect(notices).toContain('fill');
    expect(notices).not.toContain('canceled-elsewhere');
  });
});
