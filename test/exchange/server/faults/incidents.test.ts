// What befalls the exchange by itself, in virtual time: each incident, its end, and that nothing goes on after a stop.
import { describe, expect, it, vi } from 'vitest';
import { faultsSchema } from '../../../../src/config/fault-config.ts';
import { ticker } from '../../../../src/domain/ids.ts';
import type { MarketStatus } from '../../../../src/domain/market.ts';
import type { Micros } from '../../../../src/domain/units.ts';
import { Incidents } from '../../../../src/exchange/server/faults/incidents.ts';
import { assertTellable } from '../../../../src/exchange/server/tellable.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service.ts';
import { placeOp } from '../../hall.ts';
import { QuietHall, quietConfig } from '../quiet-hall.ts';

interface Scene {
  readonly hall: QuietHall;
  readonly incidents: Incidents;
  readonly struck: string[];
  readonly crashes: Micros[];
  isUp: boolean;
}

function play(...rules: readonly Record<string, unknown>[]): Scene {
  const hall = new QuietHall();
  const struck: string[] = [];
  const crashes: Micros[] = [];
  const incidents = new Incidents({
    rules: faultsSchema.parse({ incidents: rules }).incidents,
    seed: 5,
    session: () => (scene.isUp ? hall.session : null),
    later: hall.later,
    crash: (downFor) => crashes.push(downFor),
    onFault: (kind) => struck.push(kind),
  });
  const scene: Scene = { hall, incidents, struck, crashes, isUp: true };
  incidents.start();
  return scene;
}

const statusOf = ({ hall }: Scene, name = 'A'): MarketStatus | undefined =>
  hall.session.exchange.market(ticker(name))?.status;

const HALT = { incident: 'halt', market: 'A', after: '10s', for: '5s' };

describe('an incident', () => {
  it.each(['trading', 'exchange'])('pauses %s for so long', (of) => {
    const scene = play({ incident: 'pause', of, after: '10s', for: '5s' });
    const { hall } = scene;
    const orderId = hall.place('ann')?.body.text('order.order_id') ?? '';
    hall.wait(10_000);
    expect(hall.place('ann')?.text).toContain(of === 'trading' ? 'trading_is_paused' : 'exchange_is_paused');
    const canceled = hall.ask('ann', `DELETE /portfolio/orders/${orderId}`)?.status;
    expect(canceled).toBe(of === 'trading' ? 200 : 409);
    hall.wait(5000);
    expect(hall.place('ann')?.status).toBe(201);
    expect(scene.struck).toEqual(['pause']);
  });

  it('throws at nobody when the exchange stands still for good', () => {
    const { hall } = play({ incident: 'pause', after: '1s', for: '1s' });
    const submit = hall.session.submit.bind(hall.session);
    vi.spyOn(hall.session, 'submit').mockImplementation((op) => {
      if (op.type === 'set-exchange') throw new Error('no space left');
      return submit(op);
    });
    expect(() => hall.wait(1500)).toThrow('no space left');
    vi.spyOn(hall.session, 'failure', 'get').mockReturnValue(new Error('no space left'));
    expect(() => hall.wait(5000)).not.toThrow();
  });

  it('keeps trading paused until the last of several pauses is over', () => {
    const { hall } = play(
      { incident: 'pause', after: '1s', for: '10s' },
      { incident: 'pause', of: 'exchange', after: '2s', for: '3s' },
    );
    hall.wait(3000);
    expect(hall.session.exchange.isActive).toBe(false);
    hall.wait(3000);
    expect([hall.session.exchange.isActive, hall.session.exchange.isTrading]).toEqual([true, false]);
    hall.wait(6000);
    expect(hall.session.exchange.isTrading).toBe(true);
  });

  it('halts a market, whose orders are canceled when it goes on', () => {
    const scene = play(HALT);
    scene.hall.place('ann');
    scene.hall.wait(10_000);
    expect([statusOf(scene), scene.hall.session.exchange.restingOrders('ann').length]).toEqual(['inactive', 1]);
    scene.hall.wait(5000);
    expect([statusOf(scene), scene.hall.session.exchange.restingOrders('ann').length]).toEqual(['active', 0]);
  });

  it('brings a market onto another grid, unless an order rests off it', () => {
    const scene = play(
      { incident: 'regrid', market: 'A', grid: 'deci_cent', after: '10s' },
      { incident: 'regrid', market: 'A', grid: 'linear_cent', after: '20s' },
    );
    const gridName = (): string | undefined => scene.hall.session.exchange.market(ticker('A'))?.definition.gridName;
    scene.hall.wait(10_000);
    expect(gridName()).toBe('deci_cent');
    scene.hall.session.submit(placeOp('ann', { price: 5010 }));
    scene.hall.wait(10_000);
    expect(gridName()).toBe('deci_cent');
    expect(scene.struck).toEqual(['regrid']);
  });

  it('may bring no market onto a grid that the wire cannot tell', () => {
    const config = quietConfig('faults: { incidents: [{ incident: regrid, grid: deci_cent, after: 1s }] }');
    expect(() => assertTellable(config, kalshiProfile)).not.toThrow();
    expect(() => assertTellable(config, serviceProfile)).toThrow('market A: profile service cannot encode price');
  });

  it('closes a market early', () => {
    const scene = play({ incident: 'close-early', market: 'A', after: '10s' });
    scene.hall.wait(10_000);
    expect(statusOf(scene)).toBe('closed');
    expect(scene.hall.session.exchange.market(ticker('A'))?.closeAt).toBe(scene.hall.now);
  });

  it.each([
    [{ later: '30m' }, 5400],
    [{ sooner: '30m' }, 1800],
    [{ sooner: '10h' }, 11],
  ])('moves a close: %o', (by, seconds) => {
    const { hall } = play({ incident: 'move-close', market: 'A', after: '10s', ...by });
    const begun = hall.now;
    hall.wait(10_000);
    expect(((hall.session.exchange.market(ticker('A'))?.closeAt ?? 0) - begun) / 1_000_000).toBe(seconds);
  });

  it.each(['uphold', 'amend'] as const)('disputes the next answer, and ends it: %s', (outcome) => {
    const scene = play({ incident: 'dispute', after: '1s', for: '3s', outcome });
    const { hall } = scene;
    hall.wait(2000);
    hall.session.submit({ type: 'close', ticker: ticker('A') });
    hall.session.submit({ type: 'determine', ticker: ticker('A'), result: 'yes', settlementValue: null });
    hall.wait(250);
    expect(statusOf(scene)).toBe('disputed');
    hall.wait(3000);
    const amended = outcome === 'amend';
    expect(statusOf(scene)).toBe(amended ? 'amended' : 'determined');
    hall.wait(6000);
    expect(statusOf(scene)).toBe('finalized');
    expect(hall.session.exchange.market(ticker('A'))?.result).toBe(amended ? 'no' : 'yes');
  });

  it('asks for a crash, and waits for the exchange to be back before it ends what it began', () => {
    const scene = play(HALT, { incident: 'crash', after: '12s', for: '7s' });
    scene.hall.wait(12_000);
    expect(scene.crashes).toEqual([7_000_000]);
    scene.isUp = false;
    scene.hall.wait(6000);
    expect(statusOf(scene)).toBe('inactive');
    scene.isUp = true;
    scene.hall.wait(250);
    expect(statusOf(scene)).toBe('active');
  });

  it('comes again and again, as often as it may, at times that the seed draws', () => {
    const rule = { incident: 'halt', every: '10s', for: '1s', times: 5 };
    const scene = play(rule);
    scene.hall.wait(600_000);
    expect(scene.struck).toEqual(Array<string>(5).fill('halt'));
    const inputs = (each: Scene): number => each.hall.session.exchange.seq;
    const again = play(rule);
    again.hall.wait(600_000);
    expect(inputs(again)).toBe(inputs(scene));
  });

  it('happens once to the first market that fits, however often it was drawn while none did', () => {
    const scene = play({ incident: 'dispute', every: '20s', for: '1h' });
    const { hall } = scene;
    hall.wait(600_000);
    for (const name of ['A', 'B']) {
      hall.session.submit({ type: 'close', ticker: ticker(name) });
      hall.session.submit({ type: 'determine', ticker: ticker(name), result: 'no', settlementValue: null });
    }
    hall.wait(250);
    expect(scene.struck).toEqual(['dispute']);
  });

  it('does not come once it was stopped', () => {
    const scene = play(HALT, { incident: 'pause', every: '1s', for: '1s' });
    scene.incidents.stop();
    scene.hall.wait(60_000);
    expect(scene.struck).toEqual([]);
  });
});
