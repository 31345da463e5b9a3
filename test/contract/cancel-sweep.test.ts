// A cancel sweep over real sockets: in batches, and order by order where the gateway sends no batches.
import { afterEach, describe, expect, it } from 'vitest';
import { cents, contracts, micros } from '../../src/domain/units.ts';
import { logTo } from '../../src/log.ts';
import { runCancelSweep } from '../../src/runtime/session/cancel-sweep.ts';
import { systemScheduler } from '../../src/transport/scheduler.ts';
import { kalshiProfile } from '../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { serviceProfile } from '../../src/venues/trade-api/profiles/service-profile.ts';
import type { Gateway } from '../../src/venue.ts';
import { VenueConversation } from './harness.ts';
import { CONTRACT_SUBJECT, type LocalExchange, localExchange } from './local-exchange.ts';

const [A, B] = CONTRACT_SUBJECT.markets;
const COUNT = 120;

let local: LocalExchange | null = null;
afterEach(() => local?.running.stop());

describe.each([
  { profile: serviceProfile, scheme: 'ecdsa-p256' as const },
  { profile: kalshiProfile, scheme: 'ed25519' as const },
])('a cancel sweep at the exchange of the profile $profile.name', ({ profile, scheme }) => {
  it.each([true, false])('cancels all orders of the account, and no others (batches: %s)', async (hasBatches) => {
    local = await localExchange({ profile, scheme })();
    const venue = local.venueWith(local.ours);
    const talk = new VenueConversation(venue);
    const orders = Array.from({ length: COUNT }, (_, at) =>
      talk.place({ ticker: at % 3 === 0 ? A : B, price: cents(10), qty: contracts(1) }),
    );
    await Promise.all(orders.map((order) => talk.sendRequest(order)));
    local.placeAs('rival', { ticker: A, side: 'buy', price: cents(5), qty: contracts(1) });
    const sizes: number[] = [];
    const { gateway } = venue;
    const counting: Gateway = {
      send: (...sent) => gateway.send(...sent),
      warmUp: () => gateway.warmUp(),
      stop: () => gateway.stop(),
    };
    if (hasBatches)
      counting.sendBatch = (batch, signal) => {
        sizes.push(batch.commands.length);
        return gateway.sendBatch?.(batch, signal) ?? Promise.reject(new TypeError('no batches'));
      };
    const end = await runCancelSweep({
      venue: { ...venue, gateway: counting },
      now: () => micros(Date.now() * 1000),
      scheduler: systemScheduler,
      log: logTo({ write: () => undefined }, 'silent'),
      isOurs: () => true,
      graceMs: 0,
      withinMs: 20_000,
    });
    expect(end).toEqual({ isDone: true, canceled: COUNT, left: [], trouble: null });
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(hasBatches ? COUNT : 0);
    expect(sizes.length).toBe(hasBatches ? Math.ceil(COUNT / (venue.capabilities.batchMax ?? 1)) : 0);
    expect(local.running.session.exchange.restingOrders('rival')).toHaveLength(1);
    await gateway.stop();
  });
});
