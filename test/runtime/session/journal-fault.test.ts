// A live session whose journal fails while it trades stops with a fault, and none of its orders rests.
import { describe, expect, it, vi } from 'vitest';
import { botConfigSchema } from '../../../src/config/bot-config.ts';
import { parseYaml } from '../../../src/config/yaml.ts';
import { cents } from '../../../src/domain/units.ts';
import { logTo } from '../../../src/log.ts';
import { LiveSession } from '../../../src/runtime/session/live-session.ts';
import { TapeFault } from '../../../src/tape/format/tape-fault.ts';
import { commandsOf } from '../../../src/tape/format/input-lines.ts';
import { TapeReader } from '../../../src/tape/journal/tape-reader.ts';
import { systemScheduler } from '../../../src/transport/scheduler.ts';
import { M0 } from '../../support/engine/builders.ts';
import { aStrategy, quoter } from '../../support/engine/engine-harness.ts';
import { LiveVenue } from '../../support/sessions/live-venue.ts';
import { MemoryDisk } from '../../support/tapes/memory-storage.ts';
import { journalOn } from '../../support/tapes/journal-entries.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';

const CONFIG = parseYaml(
  `venue: { url: http://localhost }
markets: { events: [EVENT] }
limits:
  { orderQtyMax: 20, orderCostMax: 20, positionQtyMax: 60, marketCostMax: 60, accountCostMax: 400,
    workingOrdersMax: 40, priceMin: 0.02, priceMax: 0.98, bookAgeMax: 60s, closeGuard: 2s, groupCostMax: 100,
    dailyLossMax: 100, drawdownMax: 200, ordersPerSecondMax: 50, priceDistanceMax: 0.6 }
log: { file: a.log }
orders: { grace: 60ms, stopWithin: 20s }
`,
  { file: 'bot.yaml', schema: botConfigSchema },
);

const waitFor = (claim: () => void): Promise<void> => vi.waitFor(claim, { timeout: PATIENCE_MS, interval: 2 });

describe('a session whose disk is full', () => {
  it('ends as a fault, cancels what rests, and has sent no order that is not on disk', async () => {
    const disk = new MemoryDisk();
    const venue = new LiveVenue();
    const lines: string[] = [];
    const session = new LiveSession({
      config: CONFIG,
      venue,
      clock: venue.clock,
      strategies: [aStrategy(quoter())],
      hasKey: true,
      log: logTo({ write: (line) => lines.push(line) }, 'debug'),
      journal: journalOn(disk.open(), { timers: systemScheduler }),
    });
    const touch = (): void =>
      venue.changeVenue((scripted) => scripted.changeLevel(M0, 'bid', { price: cents(45), change: 100 }));
    await session.start();
    await waitFor(() => expect(session.engine.session.phase).toBe('trading'));
    touch();
    await waitFor(() => expect(venue.scripted.resting()).toHaveLength(2));
    disk.faults.capacityBytes = disk.usedBytes;
    touch();
    await session.mustStop;
    const end = await session.stop('test', 600_000);
    expect(end).toMatchObject({ type: 'fault', fault: { name: 'TapeFault' }, ordersLeft: 0 });
    expect(end.type === 'fault' && end.fault).toBeInstanceOf(TapeFault);
    expect(venue.scripted.resting()).toEqual([]);
    expect(lines.join('')).toContain('ENOSPC');
    const written = [...new TapeReader(disk.open()).entries()]
      .filter(({ kind }) => kind === 'commands')
      .flatMap(commandsOf)
      .flatMap((command) => (command.type === 'place' ? [command.clientOrderId] : []));
    const sent = venue.requests.flatMap((command) => (command.type === 'place' ? [command.clientOrderId] : []));
    expect(sent.length).toBeGreaterThan(0);
    for (const id of sent) expect(written).toContain(id);
  });
});
