// The private channels: nothing is ordered unless each is granted and each resting order is reported.
import { describe, expect, it } from 'vitest';
import type { UnnumberedFeedCommand } from '../../../src/domain/venue-command.ts';
import type { FillReport } from '../../../src/domain/event.ts';
import { tradeId, venueOrderId } from '../../../src/domain/ids.ts';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import { PrivateWatch } from '../../../src/execution/feed/private-watch.ts';
import type { StateChange } from '../../../src/state/state-change.ts';
import { State } from '../../../src/state/state.ts';
import { aFill, after } from '../../support/engine/builders.ts';

const A = venueOrderId('v-a');
const B = venueOrderId('v-b');

function watching() {
  const state = new State();
  const requests: string[] = [];
  const notices: Notice[] = [];
  const changes: StateChange[] = [];
  let ms = 0;
  const sendFeed = (command: UnnumberedFeedCommand): void => void requests.push(`${ms} ${command.type}`);
  const watch = new PrivateWatch({
    state,
    changes,
    sendFeed,
    observe: (notice) => notices.push(notice),
    reconnect: (reason) => {
      sendFeed({ type: 'reconnect', reason });
      return true;
    },
  });
  const grant = (isUp = true): void => {
    for (const channel of ['fills', 'orders', 'positions'] as const)
      state.applyEvent({ kind: 'feed-channel', at: after(ms), channel, isUp, reason: 'by test' }, changes);
    watch.onChannelsChange(after(ms));
  };
  const connect = (): void => {
    state.applyEvent({ kind: 'feed-up', at: after(ms), connection: 1 }, changes);
    watch.onChannelsChange(after(ms));
  };
  const run = (untilMs: number): void => {
    for (; ms <= untilMs; ms += 500) watch.checkChannels(after(ms));
  };
  return { state, watch, requests, notices, changes, grant, connect, run };
}

describe('the private channels', () => {
  it('private channels are up only when each of them is granted on this connection', () => {
    const { state, changes, grant, connect } = watching();
    connect();
    expect(state.feed.privateFault).toBe('not granted yet');
    state.applyEvent(
      { kind: 'feed-channel', at: after(0), channel: 'fills', isUp: true, reason: 'subscribed' },
      changes,
    );
    state.applyEvent(
      { kind: 'feed-channel', at: after(0), channel: 'orders', isUp: true, reason: 'subscribed' },
      changes,
    );
    expect(state.feed.isPrivateUp).toBe(false);
    grant();
    expect(state.feed.isPrivateUp).toBe(true);
    connect();
    expect(state.feed.isPrivateUp).toBe(false);
    expect(changes.filter(({ type }) => type === 'private-feed')).toEqual([
      { type: 'private-feed', isUp: true, reason: 'fills, orders and positions are delivered' },
    ]);
  });
  it('private channels go down with any one of them, which the fault names', () => {
    const { state, changes, grant, connect } = watching();
    connect();
    grant();
    state.applyEvent(
      { kind: 'feed-channel', at: after(0), channel: 'fills', isUp: false, reason: 'feed error 25' },
      changes,
    );
    expect(changes.at(-1)).toEqual({ type: 'private-feed', isUp: false, reason: 'fills: feed error 25' });
    state.applyEvent({ kind: 'feed-channel', at: after(0), channel: 'lifecycle', isUp: false, reason: 'x' }, changes);
    expect(state.feed.privateFault).toBe('fills: feed error 25');
  });
  it('channels that are not granted are requested again after growing waits, at last on a new connection', () => {
    const { requests, notices, connect, run } = watching();
    connect();
    run(60_000);
    expect(requests).toEqual(['3000 renew-private', '9000 renew-private', '21000 reconnect', '45000 renew-private']);
    expect(notices[0]).toMatchObject({
      code: 'private-feed',
      text: 'the private feed is down for 3000 ms: not granted yet',
    });
  });
  it('channels granted late are not requested again', () => {
    const { requests, grant, connect, run } = watching();
    connect();
    run(4000);
    grant();
    run(60_000);
    expect(requests).toEqual(['3000 renew-private']);
  });
});

describe('fills in a list', () => {
  const page = (ms: number, ...fills: readonly FillReport[]) =>
    ({ kind: 'fills', at: after(ms), askedAt: after(ms), commandId: 1, cursor: null, rows: fills }) as const;
  const fill = (ms: number): FillReport => aFill({ exchangeAt: after(ms), tradeId: tradeId(`t-${ms}`) });

  it('ignores a listed fill that the feed reported, may still report, or that is older than the grant', () => {
    const { watch, requests, grant, connect, run } = watching();
    run(1000);
    connect();
    grant();
    watch.onFillReport(fill(2000));
    watch.checkFills(page(20_000, fill(2000), fill(15_000), fill(1000), aFill({ exchangeAt: null })));
    expect(requests).toEqual([]);
  });
  it('doubts the channels when a list shows a fill that the feed did not report', () => {
    const { state, watch, requests, notices, grant, connect } = watching();
    connect();
    grant();
    watch.checkFills(page(8000, fill(1000)));
    expect(requests).toEqual(['0 renew-private']);
    expect(state.feed.isPrivateUp).toBe(false);
    expect(notices).toMatchObject([
      { text: 'fill t-1000 of order v-1 happened 7000 ms ago, and the private feed has not reported it' },
    ]);
    watch.checkFills(page(9000, fill(1000)));
    expect(requests).toHaveLength(1);
  });
  it('measures the age of a listed fill by the venue’s clock', () => {
    const { state, watch, requests, grant, connect } = watching();
    connect();
    grant();
    // Our clock is half a minute ahead.
    for (let ms = 0; ms < 5000; ms += 330) {
      const second = Math.floor((after(ms) - 30_000_000) / 1_000_000) * 1_000_000;
      const clockOffset = after(ms) - second;
      state.applyEvent(
        { kind: 'answered', at: after(ms), askedAt: after(ms - 5), commandId: 1, ok: true, clockOffset },
        [],
      );
    }
    watch.checkFills(page(10_000, fill(-22_000)));
    expect(requests).toEqual([]);
    watch.checkFills(page(10_000, fill(-28_000)));
    expect(requests).toHaveLength(1);
  });
});

describe('accepted orders', () => {
  it('trusts the channels when the feed reports the order, before or after the answer', () => {
    const { state, watch, requests, grant, connect, run } = watching();
    connect();
    grant();
    watch.onOrderReport(A);
    watch.onOrderAccepted(A, after(0));
    watch.onOrderAccepted(B, after(0));
    run(4000);
    watch.onOrderReport(B);
    run(60_000);
    expect(state.feed.isPrivateUp).toBe(true);
    expect(requests).toEqual([]);
    expect(watch.size).toBe(0);
  });
  it('doubts the channels until they are granted again when the feed does not report an order', () => {
    const { state, watch, requests, notices, changes, grant, connect, run } = watching();
    connect();
    grant();
    watch.onOrderAccepted(A, after(0));
    run(4500);
    expect(state.feed.isPrivateUp).toBe(true);
    run(5000);
    expect(requests).toEqual(['5000 renew-private']);
    expect(changes.at(-1)).toMatchObject({ type: 'private-feed', isUp: false });
    expect(notices).toMatchObject([
      {
        code: 'private-feed',
        text: 'order v-a was accepted 5000 ms ago, and the private feed has not reported it',
        figures: { forMs: 5000 },
      },
    ]);
    watch.onOrderReport(A);
    expect(state.feed.isPrivateUp).toBe(false);
    grant();
    expect(state.feed.isPrivateUp).toBe(true);
    run(60_000);
    expect(requests).toHaveLength(1);
  });
  it('expects no report of an order accepted while the channels are down, nor after they went down', () => {
    const { watch, requests, grant, connect, run } = watching();
    connect();
    watch.onOrderAccepted(A, after(0));
    grant();
    watch.onOrderAccepted(B, after(0));
    grant(false);
    grant();
    run(30_000);
    expect(requests).toEqual([]);
  });
});
