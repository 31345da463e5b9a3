// A cancel sweep without an engine runs until the venue's own list is empty twice, whatever the venue answers
// meanwhile.
import { describe, expect, it } from 'vitest';
import { clientOrderId, venueOrderId } from '../../../src/domain/ids.ts';
import { type CancelSweepResult, listResting, runCancelSweep } from '../../../src/runtime/session/cancel-sweep.ts';
import type { EngineEvent } from '../../../src/domain/event.ts';
import { BEGIN, M0 } from '../../support/engine/builders.ts';
import { Desk, busy, failed, page } from '../../support/sessions/cancel-desk.ts';

describe('a cancel sweep', () => {
  it('cancels our orders, leaves the others, and repeats until the list was empty twice after the grace', async () => {
    const desk = new Desk();
    for (const id of ['1', '2', '3']) desk.rests(id);
    desk.rests('4', 'other-0-1');
    desk.rests('5', null);
    const end = await desk.through(runCancelSweep(desk.options()));
    expect(end).toEqual({ isDone: true, canceled: 3, left: [], trouble: null });
    expect([...desk.orders.keys()]).toEqual(['4', '5']);
    expect(desk.scheduler.now()).toBeGreaterThanOrEqual(1000);
  });

  it('finds an order that arrives within the grace', async () => {
    const desk = new Desk();
    desk.before = (_, count) => {
      if (count === 6) desk.rests('late');
    };
    const end = await desk.through(runCancelSweep(desk.options()));
    expect(end).toMatchObject({ isDone: true, canceled: 1 });
    expect(desk.orders.size).toBe(0);
  });

  it('waits for the grace again after each order that arrives', async () => {
    const desk = new Desk();
    const arrivesAtMs = [900, 1800, 2700];
    desk.before = () => {
      while (desk.scheduler.now() >= (arrivesAtMs[0] ?? Infinity)) desk.rests(`late${arrivesAtMs.shift()}`);
    };
    const end = await desk.through(runCancelSweep(desk.options()));
    expect(end).toMatchObject({ isDone: true, canceled: 3, left: [] });
    expect(desk.scheduler.now()).toBeGreaterThanOrEqual(3700);
  });

  it('never treats a failed list, or one that lacks a page, as an empty one', async () => {
    const desk = new Desk();
    desk.rests('1');
    desk.says = (command, count) => {
      if (command.type !== 'read' || count > 8) return null;
      return command.cursor === null ? [page(command.id, [], 'more')] : [failed(command.id)];
    };
    const end = await desk.through(runCancelSweep(desk.options({ graceMs: 0 })));
    expect(end).toMatchObject({ isDone: true, canceled: 1, trouble: 'status 500' });
    expect(desk.cancels()).toEqual(['1']);
  });

  it('cancels what the pages show that could be read, while a later page fails again and again', async () => {
    const desk = new Desk();
    desk.rests('1');
    desk.rests('2');
    desk.says = (command) => {
      if (command.type !== 'read') return null;
      const [first] = desk.orders.values();
      return command.cursor === null ? [page(command.id, first ? [first] : [], 'more')] : [failed(command.id)];
    };
    const end = await desk.through(runCancelSweep(desk.options()));
    expect(end).toEqual({ isDone: false, canceled: 2, left: null, trouble: 'status 500' });
    expect(desk.cancels()).toEqual(['1', '2']);
  });

  it('cancels what a list shows that begins again and never ends', async () => {
    const desk = new Desk();
    desk.rests('1');
    desk.says = (command) =>
      command.type === 'read' ? [page(command.id, [...desk.orders.values()], 'the same')] : null;
    const end = await desk.through(runCancelSweep(desk.options({ withinMs: 5000 })));
    const trouble = 'the list of working orders does not end: 2 pages were read';
    expect(end).toEqual({ isDone: false, canceled: 1, left: null, trouble });
    expect(desk.asked.filter(({ type }) => type === 'read').length).toBeLessThan(30);
  });

  it('waits as long as the venue says after a refusal for rate, and continues', async () => {
    const desk = new Desk();
    for (let id = 0; id < 20; id++) desk.rests(`${id}`);
    desk.says = (command) =>
      command.type === 'cancel' && desk.scheduler.now() < 3000 ? [busy(command.id, 3000)] : null;
    const end = await desk.through(runCancelSweep(desk.options({ graceMs: 0 })));
    expect(end).toMatchObject({ isDone: true, canceled: 20, trouble: 'the venue refused for rate' });
    // Eight at once were refused, and no request was repeated before the time.
    expect(desk.cancels()).toHaveLength(28);
  });

  it.each(['read', 'cancel'] as const)('waits a minute at most for a %s, whatever the venue asks for', async (type) => {
    const desk = new Desk();
    desk.rests('1');
    const isFirst = ({ id }: { readonly id: number }): boolean =>
      desk.asked.find((each) => each.type === type)?.id === id;
    desk.says = (command) => {
      if (command.type !== type || !isFirst(command)) return null;
      return [{ ...busy(command.id, 3_600_000), budget: type === 'read' ? 'read' : 'trade' } as EngineEvent];
    };
    const end = await desk.through(runCancelSweep(desk.options({ withinMs: 3_600_000 })));
    expect(end).toMatchObject({ isDone: true, canceled: 1 });
    // The desk does not say that it answered, so each of three reads waits.
    expect(desk.scheduler.now()).toBeLessThan(200_000);
  });

  it('repeats the cancels of known orders while no list can be read', async () => {
    const desk = new Desk();
    for (let id = 0; id < 20; id++) desk.rests(`${id}`);
    const known = [...desk.orders.values()];
    desk.says = (command) => {
      if (command.type === 'read') return [failed(command.id)];
      return desk.scheduler.now() < 2000 ? [busy(command.id, null)] : null;
    };
    const end = await desk.through(runCancelSweep(desk.options({ known })));
    expect(end).toMatchObject({ isDone: false, canceled: 20, left: null });
    expect(desk.orders.size).toBe(0);
  });

  it('repeats a cancel that was lost', async () => {
    const desk = new Desk();
    desk.rests('1');
    desk.says = (command) =>
      command.type === 'cancel' && desk.cancels().length === 1
        ? [{ kind: 'cancel-lost', at: BEGIN, clientOrderId: command.clientOrderId, reason: 'timed out' }]
        : null;
    expect(await desk.through(runCancelSweep(desk.options()))).toMatchObject({ isDone: true, trouble: 'timed out' });
    expect(desk.cancels()).toEqual(['1', '1']);
  });

  it('gives up at its deadline and reports what it saw last', async () => {
    const desk = new Desk();
    desk.rests('1');
    desk.says = (command) => (command.type === 'cancel' ? [busy(command.id, null)] : null);
    const end = await desk.through(runCancelSweep(desk.options({ withinMs: 5000 })));
    expect(end).toEqual({
      isDone: false,
      canceled: 0,
      left: [{ clientOrderId: 's-0-1', venueOrderId: '1', ticker: 'M-0' }],
      trouble: 'the venue refused for rate',
    });
    expect(desk.scheduler.now()).toBeLessThanOrEqual(5000);
  });

  it('cancels 200 orders at the pace of a limit of ten a second', async () => {
    const desk = new Desk();
    desk.limit = { model: 'rolling-window', count: 10, windowMs: 1000 };
    for (let id = 0; id < 200; id++) desk.rests(`${id}`);
    desk.says = ({ type, id }) => (type === 'cancel' && !desk.hasRoom() ? [busy(id, 1000)] : null);
    const end = await desk.through(runCancelSweep(desk.options({ graceMs: 0 })));
    expect(end).toMatchObject({ isDone: true, canceled: 200, left: [] });
    expect(desk.scheduler.now()).toBeLessThan(25_000);
  });

  it('cancels the orders that are known before it reads a list', async () => {
    const desk = new Desk();
    desk.rests('1');
    desk.rests('2');
    const known = { clientOrderId: null, venueOrderId: venueOrderId('2'), market: M0 };
    const end = await desk.through(runCancelSweep(desk.options({ known: [known] })));
    expect(desk.cancels()).toEqual(['2', '1']);
    expect(desk.asked[0]).toMatchObject({ type: 'cancel' });
    expect(end).toMatchObject({ isDone: true, canceled: 2 });
  });

  it('reports when it never received a list', async () => {
    const desk = new Desk();
    desk.says = (command) => [failed(command.id)];
    expect(await desk.through(runCancelSweep(desk.options({ withinMs: 5000 })))).toMatchObject({
      isDone: false,
      left: null,
    });
  });
});

describe('a cancel sweep at a venue with batches', () => {
  const crowded = (count: number): Desk => {
    const desk = new Desk();
    desk.batchMax = 50;
    for (let id = 0; id < count; id++) desk.rests(`${id}`);
    return desk;
  };
  const sweep = (desk: Desk): Promise<CancelSweepResult> =>
    desk.through(runCancelSweep(desk.options({ graceMs: 0, withinMs: 30_000 })));

  it('sends the cancels in batches, each with an outcome of its own', async () => {
    const desk = crowded(120);
    const refused = { kind: 'cancel-refused', at: BEGIN, clientOrderId: clientOrderId('s-0-7'), code: 'x' } as const;
    const lost = { kind: 'cancel-lost', at: BEGIN, clientOrderId: clientOrderId('s-0-8'), reason: 'no entry' } as const;
    desk.says = (command) => {
      if (command.type !== 'cancel' || desk.batches.length > 1) return null;
      return { 7: [refused], 8: [lost] }[command.venueOrderId as string] ?? null;
    };
    expect(await sweep(desk)).toEqual({ isDone: true, canceled: 120, left: [], trouble: 'no entry' });
    expect(desk.batches).toEqual([50, 50, 20, 2]);
  });

  it('cancels a single order by a request of its own', async () => {
    const desk = crowded(1);
    expect(await sweep(desk)).toMatchObject({ isDone: true, canceled: 1 });
    expect(desk.batches).toEqual([]);
  });

  it('sends no more in a batch than the rate limit ever takes at once, at its pace', async () => {
    const desk = crowded(100);
    desk.limit = { model: 'token-bucket', capacity: 20, refillPerSecond: 20 };
    desk.troubles = (size) => (desk.hasRoom(size) ? null : { cause: 'rate', reason: 'too many' });
    expect(await sweep(desk)).toMatchObject({ isDone: true, canceled: 100 });
    expect(Math.max(...desk.batches)).toBe(20);
    expect(desk.scheduler.now()).toBeLessThan(6000);
  });

  it('halves a batch that is refused for its rate at once: the limit may have room for fewer', async () => {
    const desk = crowded(100);
    desk.troubles = (size) => (size > 15 ? { cause: 'rate', reason: 'too many' } : null);
    expect(await sweep(desk)).toMatchObject({ isDone: true, canceled: 100 });
    expect(desk.batches.slice(0, 5)).toEqual([50, 25, 12, 12, 12]);
  });

  it('cancels within the same moment what a limit that a bot has nearly used up has room for', async () => {
    const desk = crowded(8);
    desk.limit = { model: 'rolling-window', count: 10, windowMs: 1000 };
    desk.hasRoom(7);
    desk.troubles = (size) => (desk.hasRoom(size) ? null : { cause: 'rate', reason: 'too many' });
    desk.says = (command) =>
      command.type === 'cancel' && desk.isAlone && !desk.hasRoom() ? [busy(command.id, null)] : null;
    const atOnce = await desk.through(runCancelSweep(desk.options({ graceMs: 0, withinMs: 500 })));
    expect(atOnce).toMatchObject({ isDone: false, canceled: 3 });
  });

  it('waits after each refusal for rate of single cancels, too, once a batch has failed', async () => {
    const desk = crowded(20);
    desk.limit = { model: 'rolling-window', count: 10, windowMs: 1000 };
    desk.troubles = () => ({ cause: 'batch', reason: 'no batches here' });
    desk.says = (command) => (command.type === 'cancel' && !desk.hasRoom() ? [busy(command.id, null)] : null);
    expect(await sweep(desk)).toMatchObject({ isDone: true, canceled: 20 });
    expect(desk.cancels().length).toBeLessThan(40);
  });

  it.each(['batch', 'unknown'] as const)('cancels one by one once a batch has failed: %s', async (cause) => {
    const desk = crowded(60);
    desk.troubles = () => (cause === 'unknown' ? cause : { cause, reason: 'no batches here' });
    expect(await sweep(desk)).toMatchObject({ isDone: true, canceled: 60, trouble: 'the batch failed' });
    expect(desk.batches).toEqual([50]);
  });

  it('cancels one by one what a batch refuses again and again', async () => {
    const desk = crowded(52);
    const isStubborn = (id: string): boolean => id === '3' || id === '4';
    let isBatch = true;
    desk.before = ({ type }) => {
      isBatch = type === 'cancel' && desk.cancels().length <= desk.batches.reduce((sum, size) => sum + size, 0);
    };
    desk.says = (command) =>
      command.type === 'cancel' && isBatch && isStubborn(command.venueOrderId)
        ? [{ kind: 'cancel-refused', at: BEGIN, clientOrderId: command.clientOrderId, code: 'not_found' }]
        : null;
    expect(await sweep(desk)).toMatchObject({ isDone: true, canceled: 52 });
    expect(desk.batches).toEqual([50, 2, 2]);
  });
});

describe('listing resting orders', () => {
  it('lists once and cancels nothing', async () => {
    const desk = new Desk();
    desk.rests('1');
    const end = await desk.through(listResting(desk.options()));
    expect(end).toMatchObject({ isDone: false, left: [{ venueOrderId: '1' }] });
    expect(desk.asked).toHaveLength(1);
  });
});
