// Baking a tape with the fast reader: it gives the same bytes as the slow reader, for valid and damaged messages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runCount } from '../../support/runner/property-runs.ts';
import { withTemporaryFolder } from '../../support/tapes/baked-rows.ts';
import { MemoryDisk } from '../../support/tapes/memory-storage.ts';
import {
  RECORDER_MANIFEST,
  RecordedSession,
  bakedTape,
  serviceNormalizer,
} from '../../support/tapes/recorded-session.ts';

const NAMES = ['M-1', 'M-2', 'M-3'];

/** Messages of a venue: mostly in sequence, mostly of known markets, some of them damaged. */
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(
      'delta',
      'delta',
      'delta',
      'delta',
      'snapshot',
      'trade',
      'up',
      'down',
      'skip',
      'unknown-type',
    ),
    name: fc.constantFrom(...NAMES, ...NAMES, 'M-NEVER'),
    msg: fc.record(
      {
        side: fc.constantFrom('yes', 'no', 'no', 'both'),
        price: fc.integer({ min: -1, max: 101 }),
        delta: fc.integer({ min: -500, max: 500 }),
        ts_ms: fc.constantFrom(1_795_000_000_957, 0, -3),
        ts: fc.constantFrom(1_795_000_000, 5.5),
        client_order_id: fc.constantFrom('mine', ''),
        market_id: fc.constant('id'),
      },
      { requiredKeys: ['side', 'price', 'delta'] },
    ),
    damage: fc.option(fc.record({ at: fc.nat(), bytes: fc.string({ unit: 'binary', maxLength: 3 }), cut: fc.nat(3) }), {
      freq: 8,
    }),
  }),
  { maxLength: 40 },
);

function record(disk: MemoryDisk, drawn: typeof steps extends fc.Arbitrary<infer T> ? T : never): void {
  const recorded = new RecordedSession(disk.open(), { manifest: RECORDER_MANIFEST, segmentBytesMax: 2000 }).feedUp();
  recorded.journal.flush();
  let seq = 0;
  for (const { kind, name, msg, damage } of drawn) {
    if (kind === 'up') recorded.feedUp();
    else if (kind === 'down') recorded.feedDown('reset');
    if (kind === 'up' || kind === 'down') seq = 0;
    seq += kind === 'skip' ? 2 : 1;
    const type = kind === 'snapshot' ? 'orderbook_snapshot' : kind === 'trade' ? 'trade' : 'orderbook_delta';
    const content =
      kind === 'snapshot'
        ? { yes: [[msg.price, 3]], no: [] }
        : kind === 'trade'
          ? { trade_id: 't', yes_price: msg.price, count: msg.delta, taker_side: msg.side }
          : msg;
    const text =
      kind === 'unknown-type'
        ? '{"type":"weather"}'
        : JSON.stringify({ type, sid: 1, seq, msg: { market_ticker: name, ...content } });
    const at = damage === null ? 0 : damage.at % (text.length + 1);
    recorded.writeFrame(damage === null ? text : text.slice(0, at) + damage.bytes + text.slice(at + damage.cut));
    recorded.journal.flush();
  }
}

describe('the fast reader', () => {
  it('the fast reader gives the same bytes as the slow one, for whole and damaged frames', () => {
    withTemporaryFolder((folder) => {
      const [fast, slow] = [join(folder, 'fast'), join(folder, 'slow')];
      fc.assert(
        fc.property(steps, (drawn) => {
          const disk = new MemoryDisk();
          record(disk, drawn);
          bakedTape(disk.open(), fast, { blockRows: 9 });
          bakedTape(disk.open(), slow, { blockRows: 9, normalizerOf: serviceNormalizer(false) });
          expect(readFileSync(fast).equals(readFileSync(slow))).toBe(true);
        }),
        { numRuns: runCount(200) },
      );
    });
  });
});
