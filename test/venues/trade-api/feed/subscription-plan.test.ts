// The commands of a feed plan, against a feed that grants, refuses and loses commands.
import { expect, test } from 'vitest';
import { type Ticker, ticker } from '../../../../src/domain/ids.ts';
import type {
  SubscriptionCommand,
  NumberedCommand,
} from '../../../../src/venues/trade-api/feed/subscription-command.ts';
import {
  SubscriptionPlan,
  type SubscriptionPlanOptions,
} from '../../../../src/venues/trade-api/feed/subscription-plan.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';

const { feed } = serviceProfile;
const A = ticker('KX-A');
const [B, C] = [ticker('KX-B'), ticker('KX-C')];
const MARKET_CHANNELS = ['book', 'ticker', 'prints'];
const subscribe = (channels: readonly string[], tickers: readonly Ticker[] | null) => ({
  kind: 'subscribe',
  channels,
  tickers,
});

const planOf = (options: Partial<SubscriptionPlanOptions> = {}): SubscriptionPlan =>
  new SubscriptionPlan({ feed, hasKey: false, tickersPerCommand: 10, ...options });

function drain(plan: SubscriptionPlan): NumberedCommand[] {
  const all: NumberedCommand[] = [];
  for (let sent = plan.takeNextCommand(); sent !== null; sent = plan.takeNextCommand()) all.push(sent);
  return all;
}
const commandsOf = (plan: SubscriptionPlan): SubscriptionCommand[] => drain(plan).map(({ command }) => command);

/** Grants every channel of the commands, as a venue would; sids count from the first. */
function grant(plan: SubscriptionPlan, sent: readonly NumberedCommand[], firstSid = 1): number {
  let sid = firstSid;
  for (const { id, command } of sent) {
    if (command.kind !== 'subscribe') continue;
    for (const channel of command.channels) plan.applyReply({ kind: 'subscribed', id, channel, sid: sid++ });
  }
  return sid;
}

interface Refusal {
  readonly tickers?: readonly Ticker[];
  readonly sid?: number;
}
const refuse = (id: number | null, code: number, { tickers = [], sid }: Refusal = {}) =>
  ({ kind: 'refused', id, sid: sid ?? null, code, tickers }) as const;

test('subscribes to public channels only without a key', () => {
  const plan = planOf();
  plan.addMarkets([A]);
  expect(plan.hasNext).toBe(false);
  plan.connect();
  expect(commandsOf(plan)).toEqual([subscribe(['lifecycle'], null), subscribe(MARKET_CHANNELS, [A])]);
});

test('subscribes to private channels with a key, for all markets, before the market channels', () => {
  const plan = planOf({ hasKey: true });
  plan.addMarkets([A]);
  plan.connect();
  expect(commandsOf(plan)).toEqual([
    subscribe(['fills', 'orders', 'positions'], null),
    subscribe(['lifecycle'], null),
    subscribe(MARKET_CHANNELS, [A]),
  ]);
});

test('subscribes to each market once, in as few commands as possible', () => {
  const plan = planOf({ tickersPerCommand: 2 });
  plan.connect();
  drain(plan);
  plan.addMarkets([A]);
  plan.addMarkets([A, B]);
  plan.addMarkets([C]);
  expect(commandsOf(plan)).toEqual([subscribe(MARKET_CHANNELS, [A, B]), subscribe(MARKET_CHANNELS, [C])]);
});

test('repeats all subscriptions after a reconnect, and sends nothing in between', () => {
  const plan = planOf();
  plan.connect();
  plan.addMarkets([A]);
  const before = drain(plan);
  plan.disconnect();
  plan.addMarkets([B]);
  plan.requestSnapshots([A]);
  expect(plan.hasNext).toBe(false);
  plan.connect();
  const after = drain(plan);
  expect(after.map(({ command }) => command)).toEqual([
    subscribe(['lifecycle'], null),
    subscribe(MARKET_CHANNELS, [A, B]),
  ]);
  expect(after[0]!.id).toBeGreaterThan(before.at(-1)!.id);
});

test('requests snapshots of subscribed books, with one command per subscription', () => {
  const plan = planOf({ tickersPerCommand: 2 });
  plan.addMarkets([A, B, C]);
  plan.connect();
  grant(plan, drain(plan));
  plan.requestSnapshots([A]);
  plan.requestSnapshots([C, B, A]);
  expect(commandsOf(plan)).toEqual([
    { kind: 'snapshot', sid: 2, tickers: [A, B] },
    { kind: 'snapshot', sid: 5, tickers: [C] },
  ]);
});

test('requests no snapshot while a subscription that starts with one is pending', () => {
  const plan = planOf();
  plan.connect();
  plan.addMarkets([A]);
  plan.requestSnapshots([A]);
  const sent = drain(plan);
  expect(sent.at(-1)!.command).toEqual(subscribe(MARKET_CHANNELS, [A]));
  plan.requestSnapshots([A]);
  expect(plan.hasNext).toBe(false);
  grant(plan, sent);
  plan.requestSnapshots([A]);
  expect(commandsOf(plan)).toEqual([{ kind: 'snapshot', sid: 2, tickers: [A] }]);
});

test('forgets the subscription ids of the previous connection', () => {
  const plan = planOf();
  plan.addMarkets([A]);
  plan.connect();
  grant(plan, drain(plan));
  plan.connect();
  plan.requestSnapshots([A]);
  expect(commandsOf(plan)).toEqual([subscribe(['lifecycle'], null), subscribe(MARKET_CHANNELS, [A])]);
});

test('subscribes to an unknown market when it is to be resynced', () => {
  const plan = planOf();
  plan.connect();
  drain(plan);
  plan.requestSnapshots([A]);
  expect(commandsOf(plan)).toEqual([subscribe(MARKET_CHANNELS, [A])]);
});

test('resubscribes all markets of a subscription at once when snapshots cannot be requested', () => {
  const plan = planOf({ feed: { ...feed, canRequestSnapshot: false } });
  plan.addMarkets([A, B]);
  plan.connect();
  grant(plan, drain(plan));
  plan.requestSnapshots([A, B]);
  expect(commandsOf(plan)).toEqual([{ kind: 'unsubscribe', sid: 2 }, subscribe(['book'], [A, B])]);
});

test('resubscribes when a snapshot is refused', () => {
  const plan = planOf();
  plan.addMarkets([A, B]);
  plan.connect();
  grant(plan, drain(plan));
  plan.requestSnapshots([A]);
  const [sent] = drain(plan);
  plan.applyReply(refuse(sent!.id, 7));
  expect(commandsOf(plan)).toEqual([{ kind: 'unsubscribe', sid: 2 }, subscribe(['book'], [A, B])]);
});

test.each([
  ['books', 2, subscribe(['book'], [A])],
  ['prints', 4, subscribe(['prints'], [A])],
  ['everything', 1, subscribe(['lifecycle'], null)],
])('resubscribes after a subscription to %s ended by itself', (_what, sid, expected) => {
  const plan = planOf();
  plan.addMarkets([A]);
  plan.connect();
  grant(plan, drain(plan));
  plan.applyReply(refuse(null, 25, { sid }));
  expect(commandsOf(plan)).toEqual([expected]);
  plan.applyReply(refuse(null, 25, { sid }));
  plan.applyReply(refuse(null, 1, { sid: 3 }));
  plan.applyReply(refuse(null, 10, { sid: 99 }));
  expect(plan.hasNext).toBe(false);
});

test('repeats a refused command without the markets that the refusal names', () => {
  const plan = planOf();
  plan.addMarkets([A, B, C]);
  plan.connect();
  const [, sent] = drain(plan);
  plan.applyReply(refuse(sent!.id, 14, { tickers: [B] }));
  expect(commandsOf(plan)).toEqual([subscribe(MARKET_CHANNELS, [A, C])]);
});

test('repeats a refused command only for the channels that were not granted', () => {
  const plan = planOf();
  plan.addMarkets([A, B]);
  plan.connect();
  const [, sent] = drain(plan);
  plan.applyReply({ kind: 'subscribed', id: sent!.id, channel: 'book', sid: 9 });
  plan.applyReply(refuse(sent!.id, 14, { tickers: [B] }));
  expect(commandsOf(plan)).toEqual([subscribe(['ticker', 'prints'], [A])]);
});

test('finds the one refused market by halving, and subscribes to all others', () => {
  const tickers = Array.from({ length: 200 }, (_, i) => ticker(`KX-${i}`));
  const bad = tickers[77]!;
  const plan = planOf({ tickersPerCommand: 200 });
  plan.addMarkets(tickers);
  plan.connect();
  const granted = new Set<Ticker>();
  let refusals = 0;
  for (let sent = plan.takeNextCommand(); sent !== null; sent = plan.takeNextCommand()) {
    const { id, command } = sent;
    if (command.kind !== 'subscribe' || command.tickers === null) continue;
    if (command.tickers.includes(bad)) {
      refusals += 1;
      plan.applyReply(refuse(id, 11));
    } else for (const name of command.tickers) granted.add(name);
  }
  expect(granted.size).toBe(199);
  expect(refusals).toBeLessThan(12);
});

test('subscribes to every channel of a market again whose command was refused, once its book is requested', () => {
  const plan = planOf();
  plan.connect();
  grant(plan, drain(plan));
  for (const market of [A, B]) {
    plan.addMarkets([market]);
    for (const { id } of drain(plan)) plan.applyReply(refuse(id, 18));
  }
  expect(plan.hasNext).toBe(false);
  plan.requestSnapshots([A, B]);
  const again = drain(plan);
  expect(again.map(({ command }) => command)).toEqual([
    subscribe(['book'], [A, B]),
    subscribe(['ticker', 'prints'], [A, B]),
  ]);
});

test('stops repeating when everything is refused', () => {
  const plan = planOf({ tickersPerCommand: 200 });
  plan.addMarkets(Array.from({ length: 10_000 }, (_, i) => ticker(`KX-${i}`)));
  plan.connect();
  let sent = 0;
  for (let next = plan.takeNextCommand(); next !== null; next = plan.takeNextCommand()) {
    plan.applyReply(refuse(next.id, 9));
    sent += 1;
  }
  expect(sent).toBeLessThan(200);
});

test('unsubscribes from removed markets: first some of a subscription, then all of it, and never subscribes again', () => {
  const plan = planOf();
  plan.addMarkets([A, B]);
  plan.connect();
  grant(plan, drain(plan));
  plan.removeMarkets([A, C]);
  expect(commandsOf(plan)).toEqual([2, 3, 4].map((sid) => ({ kind: 'delete', sid, tickers: [A] })));
  plan.removeMarkets([B]);
  expect(commandsOf(plan)).toEqual([2, 3, 4].map((sid) => ({ kind: 'unsubscribe', sid })));
  plan.connect();
  expect(commandsOf(plan)).toEqual([subscribe(['lifecycle'], null)]);
});

test('drops queued commands of removed markets, and unsubscribes as soon as one of them is granted', () => {
  const plan = planOf();
  plan.connect();
  plan.addMarkets([A]);
  plan.addMarkets([B]);
  const sent = drain(plan);
  plan.addMarkets([C]);
  plan.removeMarkets([A, C]);
  expect(plan.hasNext).toBe(false);
  plan.addMarkets([A]);
  const again = drain(plan);
  expect(again.map(({ command }) => command)).toEqual([subscribe(MARKET_CHANNELS, [A])]);
  const sid = grant(plan, sent, 1);
  expect(commandsOf(plan)).toEqual([2, 3, 4].map((number) => ({ kind: 'delete', sid: number, tickers: [A] })));
  grant(plan, again, sid);
  plan.requestSnapshots([A, B]);
  expect(commandsOf(plan)).toEqual([
    { kind: 'snapshot', sid: 5, tickers: [A] },
    { kind: 'snapshot', sid: 2, tickers: [B] },
  ]);
});

test('resubscribes to the other markets when an unsubscribe is refused', () => {
  const plan = planOf();
  plan.addMarkets([A, B]);
  plan.connect();
  grant(plan, drain(plan));
  plan.removeMarkets([A]);
  const [sent] = drain(plan);
  plan.applyReply(refuse(sent!.id, 13));
  expect(commandsOf(plan)).toEqual([{ kind: 'unsubscribe', sid: 2 }, subscribe(['book'], [B])]);
});

test('resubscribes once, and ends the old subscription, when unsubscribes are refused repeatedly', () => {
  const plan = planOf();
  plan.addMarkets([A, B, C]);
  plan.connect();
  grant(plan, drain(plan));
  plan.removeMarkets([A]);
  plan.removeMarkets([B]);
  const ofBooks = drain(plan).filter(({ command }) => command.kind === 'delete' && command.sid === 2);
  for (const { id } of ofBooks) plan.applyReply(refuse(id, 13));
  expect(ofBooks).toHaveLength(2);
  expect(commandsOf(plan)).toEqual([{ kind: 'unsubscribe', sid: 2 }, subscribe(['book'], [C])]);
});

test('renews each book subscription once, except pending ones', () => {
  const plan = planOf();
  plan.addMarkets([A, B]);
  plan.connect();
  const sent = drain(plan);
  plan.resubscribeBooks([A]);
  expect(plan.hasNext).toBe(false);
  grant(plan, sent);
  plan.resubscribeBooks([A, B]);
  expect(commandsOf(plan)).toEqual([{ kind: 'unsubscribe', sid: 2 }, subscribe(['book'], [A, B])]);
});

test('renews private channels, even after a refusal or without an answer, but not twice at once', () => {
  const PRIVATE = ['fills', 'orders', 'positions'];
  const plan = planOf({ hasKey: true });
  plan.resubscribePrivate();
  plan.connect();
  const [, ...others] = drain(plan);
  plan.resubscribePrivate();
  plan.resubscribePrivate();
  const [again, ...rest] = drain(plan);
  expect(again?.command).toEqual(subscribe(PRIVATE, null));
  expect(rest).toEqual([]);
  grant(plan, [again!, ...others]);
  plan.resubscribePrivate();
  plan.resubscribePrivate();
  const renewed = drain(plan);
  expect(renewed.map(({ command }) => command)).toEqual([
    ...[1, 2, 3].map((sid) => ({ kind: 'unsubscribe', sid })),
    subscribe(PRIVATE, null),
  ]);
  plan.applyReply(refuse(renewed.at(-1)!.id, 9));
  expect(plan.hasNext).toBe(false);
  plan.resubscribePrivate();
  expect(commandsOf(plan)).toEqual([subscribe(PRIVATE, null)]);
});

test('repeats a command first that was sent too fast, without the markets removed since', () => {
  const plan = planOf();
  plan.addMarkets([A, B]);
  plan.connect();
  const [lifecycle, books] = drain(plan);
  plan.applyReply(refuse(lifecycle!.id, 27));
  plan.removeMarkets([B]);
  plan.addMarkets([C]);
  plan.applyReply(refuse(books!.id, 27, { tickers: [A] }));
  expect(commandsOf(plan)).toEqual([
    subscribe(MARKET_CHANNELS, [A]),
    subscribe(['lifecycle'], null),
    subscribe(MARKET_CHANNELS, [C]),
  ]);
  grant(plan, [{ id: 99, command: lifecycle!.command }]);
  plan.applyReply(refuse(null, 27, { sid: 2 }));
  expect(plan.hasNext).toBe(false);
});

test('uses smaller commands permanently after one had too many markets, whichever are named', () => {
  const tickers = Array.from({ length: 100 }, (_, i) => ticker(`KX-${i}`));
  const plan = planOf({ tickersPerCommand: 100 });
  plan.addMarkets(tickers);
  const follow = (): { followed: Set<Ticker>; sent: number } => {
    const followed = new Set<Ticker>();
    let sent = 0;
    for (let next = plan.takeNextCommand(); next !== null; next = plan.takeNextCommand()) {
      if (next.command.kind !== 'subscribe' || next.command.tickers === null) continue;
      sent += 1;
      if (next.command.tickers.length > 30) plan.applyReply(refuse(next.id, 26, { tickers: next.command.tickers }));
      else for (const name of next.command.tickers) followed.add(name);
    }
    return { followed, sent };
  };
  plan.connect();
  expect(follow()).toEqual({ followed: new Set(tickers), sent: 7 });
  plan.connect();
  expect(follow()).toEqual({ followed: new Set(tickers), sent: 4 });
});

test("gives up a single market that exceeds the venue's limit", () => {
  const plan = planOf();
  plan.addMarkets([A]);
  plan.connect();
  plan.applyReply(refuse(drain(plan).at(-1)!.id, 26));
  expect(plan.hasNext).toBe(false);
});

test('ignores replies to commands that it never sent', () => {
  const plan = planOf();
  plan.connect();
  drain(plan);
  plan.applyReply({ kind: 'subscribed', id: 77, channel: 'book', sid: 5 });
  plan.applyReply(refuse(78, 11));
  plan.requestSnapshots([A]);
  expect(commandsOf(plan)).toEqual([subscribe(MARKET_CHANNELS, [A])]);
});
