// Incidents of the exchange in virtual time: each incident, its end, and that nothing continues after a stop.
import { describe, expect, it, vi } from 'vitest';
import { faultsSchema } from '../../../src/config/fault-config.ts';
import { ticker } from '../../../src/domain/ids.ts';
import type { MarketStatus } from '../../../src/domain/market.ts';
import type { Micros } from '../../../src/domain/units.ts';
import { IncidentRunner } from '../../../src/exchange/faults/incidents.ts';
import type { IncidentStore, KeptIncident } from '../../../src/exchange/store/incident-file.ts';
import { assertEncodable } from '../../../src/exchange/api/encodable-markets.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { placeOp } from '../exchange-harness.ts';
import { ApiHarness, harnessConfig } from '../api/api-harness.ts';

class KeptIncidents implements IncidentStore {
  left: readonly KeptIncident[] = [];

  keepIncidents(incidents: readonly KeptIncident[]): void {
    this.left = incidents;
  }
}

interface Scene {
  readonly harness: ApiHarness;
  readonly incidents: IncidentRunner;
  readonly struck: string[];
  readonly crashes: Micros[];
  isUp: boolean;
}

const play = (...rules: readonly Record<string, unknown>[]): Scene => playOn({ harness: new ApiHarness() }, rules);

function playOn(
  { harness, kept }: Pick<Scene, 'harness'> & { readonly kept?: IncidentStore },
  rules: readonly Record<string, unknown>[],
): Scene {
  const struck: string[] = [];
  const crashes: Micros[] = [];
  const incidents = new IncidentRunner({
    rules: faultsSchema.parse({ incidents: rules }).incidents,
    seed: 5,
    session: () => (scene.isUp ? harness.session : null),
    later: harness.setTimer,
    crash: (downFor) => crashes.push(downFor),
    onFault: (kind) => struck.push(kind),
    ...(kept !== undefined && { kept }),
  });
  const scene: Scene = { harness, incidents, struck, crashes, isUp: true };
  incidents.start();
  return scene;
}

const statusOf = ({ harness }: Scene, name = 'A'): MarketStatus | undefined =>
  harness.session.exchange.market(ticker(name))?.status;

const HALT = { incident: 'halt', market: 'A', after: '10s', for: '5s' };

describe('an incident', () => {
  it.each(['trading', 'exchange'])('pauses %s for its duration', (of) => {
    const scene = play({ incident: 'pause', of, after: '10s', for: '5s' });
    const { harness } = scene;
    const orderId = harness.placeOrder('ann')?.body.text('order.order_id') ?? '';
    harness.advance(10_000);
    expect(harness.placeOrder('ann')?.text).toContain(of === 'trading' ? 'trading_is_paused' : 'exchange_is_paused');
    const canceled = harness.request('ann', `DELETE /portfolio/orders/${orderId}`)?.status;
    expect(canceled).toBe(of === 'trading' ? 200 : 409);
    harness.advance(5000);
    expect(harness.placeOrder('ann')?.status).toBe(201);
    expect(scene.struck).toEqual(['pause']);
  });

  it('does not throw from a timer when the exchange has stopped on an error', () => {
    const { harness } = play({ incident: 'pause', after: '1s', for: '1s' });
    const submit = harness.session.submit.bind(harness.session);
    vi.spyOn(harness.session, 'submit').mockImplementation((op) => {
      if (op.type === 'set-exchange') throw new Error('no space left');
      return submit(op);
    });
    expect(() => harness.advance(1500)).toThrow('no space left');
    vi.spyOn(harness.session, 'failure', 'get').mockReturnValue(new Error('no space left'));
    expect(() => harness.advance(5000)).not.toThrow();
  });

  it('keeps trading paused until the last of several pauses is over', () => {
    const { harness } = play(
      { incident: 'pause', after: '1s', for: '10s' },
      { incident: 'pause', of: 'exchange', after: '2s', for: '3s' },
    );
    harness.advance(3000);
    expect(harness.session.exchange.isActive).toBe(false);
    harness.advance(3000);
    expect([harness.session.exchange.isActive, harness.session.exchange.isTrading]).toEqual([true, false]);
    harness.advance(6000);
    expect(harness.session.exchange.isTrading).toBe(true);
  });

  it('halts a market, whose orders are canceled when it resumes', () => {
    const scene = play(HALT);
    scene.harness.placeOrder('ann');
    scene.harness.advance(10_000);
    expect([statusOf(scene), scene.harness.session.exchange.restingOrders('ann').length]).toEqual(['inactive', 1]);
    scene.harness.advance(5000);
    expect([statusOf(scene), scene.harness.session.exchange.restingOrders('ann').length]).toEqual(['active', 0]);
  });

  it('changes a market’s grid, unless a resting order would be off it', () => {
    const scene = play(
      { incident: 'regrid', market: 'A', grid: 'deci_cent', after: '10s' },
      { incident: 'regrid', market: 'A', grid: 'linear_cent', after: '20s' },
    );
    const gridName = (): string | undefined => scene.harness.session.exchange.market(ticker('A'))?.definition.gridName;
    scene.harness.advance(10_000);
    expect(gridName()).toBe('deci_cent');
    scene.harness.session.submit(placeOp('ann', { price: 5010 }));
    scene.harness.advance(10_000);
    expect(gridName()).toBe('deci_cent');
    expect(scene.struck).toEqual(['regrid']);
  });

  it('may not change a market to a grid that the wire cannot encode', () => {
    const config = harnessConfig('faults: { incidents: [{ incident: regrid, grid: deci_cent, after: 1s }] }');
    expect(() => assertEncodable(config, kalshiProfile)).not.toThrow();
    expect(() => assertEncodable(config, serviceProfile)).toThrow('market A: profile service cannot encode price');
  });

  it('closes a market early', () => {
    const scene = play({ incident: 'close-early', market: 'A', after: '10s' });
    scene.harness.advance(10_000);
    expect(statusOf(scene)).toBe('closed');
    expect(scene.harness.session.exchange.market(ticker('A'))?.closeAt).toBe(scene.harness.now);
  });

  it.each([
    [{ later: '30m' }, 5400],
    [{ sooner: '30m' }, 1800],
    [{ sooner: '10h' }, 11],
  ])('moves a close: %o', (by, seconds) => {
    const { harness } = play({ incident: 'move-close', market: 'A', after: '10s', ...by });
    const begun = harness.now;
    harness.advance(10_000);
    expect(((harness.session.exchange.market(ticker('A'))?.closeAt ?? 0) - begun) / 1_000_000).toBe(seconds);
  });

  it.each(['uphold', 'amend'] as const)('disputes the next result, and ends the dispute: %s', (outcome) => {
    const scene = play({ incident: 'dispute', after: '1s', for: '3s', outcome });
    const { harness } = scene;
    harness.advance(2000);
    harness.session.submit({ type: 'close', ticker: ticker('A') });
    harness.session.submit({ type: 'determine', ticker: ticker('A'), result: 'yes', settlementValue: null });
    harness.advance(250);
    expect(statusOf(scene)).toBe('disputed');
    harness.advance(3000);
    const amended = outcome === 'amend';
    expect(statusOf(scene)).toBe(amended ? 'amended' : 'determined');
    harness.advance(6000);
    expect(statusOf(scene)).toBe('finalized');
    expect(harness.session.exchange.market(ticker('A'))?.result).toBe(amended ? 'no' : 'yes');
  });

  it('crashes the exchange, and waits for its restart before ending what it began', () => {
    const scene = play(HALT, { incident: 'crash', after: '12s', for: '7s' });
    scene.harness.advance(12_000);
    expect(scene.crashes).toEqual([7_000_000]);
    scene.isUp = false;
    scene.harness.advance(6000);
    expect(statusOf(scene)).toBe('inactive');
    scene.isUp = true;
    scene.harness.advance(250);
    expect(statusOf(scene)).toBe('active');
  });

  it('repeats up to its maximum, at times drawn from the seed', () => {
    const rule = { incident: 'halt', every: '10s', for: '1s', times: 5 };
    const scene = play(rule);
    scene.harness.advance(600_000);
    expect(scene.struck).toEqual(Array<string>(5).fill('halt'));
    const inputs = (each: Scene): number => each.harness.session.exchange.seq;
    const again = play(rule);
    again.harness.advance(600_000);
    expect(inputs(again)).toBe(inputs(scene));
  });

  it('applies once to the first market that fits, however often it was drawn while none did', () => {
    const scene = play({ incident: 'dispute', every: '20s', for: '1h' });
    const { harness } = scene;
    harness.advance(600_000);
    for (const name of ['A', 'B']) {
      harness.session.submit({ type: 'close', ticker: ticker(name) });
      harness.session.submit({ type: 'determine', ticker: ticker(name), result: 'no', settlementValue: null });
    }
    harness.advance(250);
    expect(scene.struck).toEqual(['dispute']);
  });

  it.each(['trading', 'exchange'])('ends with a stop: a pause of %s, a halt and a dispute do not outlive it', (of) => {
    const scene = play(
      { incident: 'halt', market: 'A', after: '1s', for: '1h' },
      { incident: 'dispute', market: 'B', after: '1s', for: '1h' },
      { incident: 'pause', of, after: '2s', for: '1h' },
    );
    const { harness } = scene;
    harness.session.submit({ type: 'close', ticker: ticker('B') });
    harness.session.submit({ type: 'determine', ticker: ticker('B'), result: 'no', settlementValue: null });
    harness.advance(3000);
    expect([statusOf(scene), statusOf(scene, 'B'), harness.session.exchange.isTrading]).toEqual([
      'inactive',
      'disputed',
      false,
    ]);
    scene.incidents.stop();
    harness.session.close();
    const { exchange } = new ApiHarness({ store: harness.store }).session;
    expect([exchange.isActive, exchange.isTrading]).toEqual([true, true]);
    expect(['A', 'B'].map((name) => exchange.market(ticker(name))?.status)).toEqual(['active', 'determined']);
  });

  it.each(['trading', 'exchange'])('ends at the next start when its process was killed: a pause of %s', (of) => {
    const kept = new KeptIncidents();
    const { harness } = playOn({ harness: new ApiHarness(), kept }, [
      { incident: 'halt', market: 'A', after: '1s', for: '1h' },
      { incident: 'dispute', market: 'B', after: '1s', for: '1h' },
      { incident: 'pause', of, after: '2s', for: '1h' },
    ]);
    harness.session.submit({ type: 'close', ticker: ticker('B') });
    harness.session.submit({ type: 'determine', ticker: ticker('B'), result: 'no', settlementValue: null });
    harness.advance(3000);
    harness.session.close();
    const { exchange } = playOn({ harness: new ApiHarness({ store: harness.store }), kept }, []).harness.session;
    expect([exchange.isActive, exchange.isTrading]).toEqual([true, true]);
    expect(['A', 'B'].map((name) => exchange.market(ticker(name))?.status)).toEqual(['active', 'determined']);
    expect(kept.left).toEqual([]);
  });

  it.each(['before', 'during'])('leaves a pause in force that an operator began %s it, also over a kill', (when) => {
    const kept = new KeptIncidents();
    const { harness } = playOn({ harness: new ApiHarness(), kept }, [
      { incident: 'pause', of: 'exchange', after: '2s', for: '5s' },
    ]);
    harness.advance(when === 'before' ? 1000 : 3000);
    harness.session.submit({ type: 'set-exchange', isActive: true, isTrading: false });
    harness.advance(2000);
    const { left } = kept;
    harness.advance(5000);
    expect([harness.session.exchange.isActive, harness.session.exchange.isTrading]).toEqual([true, false]);
    kept.left = left;
    harness.session.close();
    const { exchange } = playOn({ harness: new ApiHarness({ store: harness.store }), kept }, []).harness.session;
    expect([exchange.isActive, exchange.isTrading]).toEqual([true, false]);
  });

  it('that waits for the exchange to come back leaves nothing behind when it is stopped meanwhile', () => {
    const scene = play({ incident: 'pause', after: '1s', for: '5s' });
    scene.isUp = false;
    scene.harness.advance(10_000);
    scene.incidents.stop();
    scene.isUp = true;
    scene.harness.advance(10_000);
    expect([scene.harness.session.exchange.isTrading, scene.struck]).toEqual([true, []]);
  });

  it('does not occur after a stop', () => {
    const scene = play(HALT, { incident: 'pause', every: '1s', for: '1s' });
    scene.incidents.stop();
    scene.harness.advance(60_000);
    expect(scene.struck).toEqual([]);
  });
});
