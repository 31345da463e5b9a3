// A recording of book changes for benchmarks, in a temporary folder: frames as a recorder writes them.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROW_LENGTH, deltaRows } from '../support/tapes/workload.ts';
import { micros, type Price, type Qty } from '../../src/domain/units.ts';
import { fileStorage } from '../../src/tape/journal/file-storage.ts';
import type { Manifest } from '../../src/tape/format/segment-header.ts';
import { JournalWriter } from '../../src/tape/journal/journal-writer.ts';
import { serviceProfile } from '../../src/venues/trade-api/profiles/service-profile.ts';
import { emptyBook, levelChanged, tickerOf } from './frames.ts';

const BEGIN = 1_795_000_000_000_000;
/** Time between two frames, microseconds. */
const STEP = 50;

const MANIFEST: Manifest = {
  version: '0.0.0',
  profile: serviceProfile.name,
  hasKey: false,
  limits: { read: serviceProfile.limits.read, trade: serviceProfile.limits.trade },
  tickers: [],
  setup: {},
  strategies: [],
  hash: '',
};

/** Calls `act` with a folder of its own, which is removed afterwards. */
export async function inFolder<T>(act: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'presage-bench-'));
  try {
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The size of a recording. */
export interface Shape {
  readonly markets: number;
  readonly changes: number;
}

/** Records changes of books, in uncompressed files. */
export async function record(folder: string, shape: Shape): Promise<void> {
  const timers = { after: () => ({}), cancel: () => undefined };
  const journal = new JournalWriter({
    storage: fileStorage(folder),
    manifest: MANIFEST,
    timers,
    of: 'recording',
    packer: null,
  });
  const encoder = new TextEncoder();
  let at = BEGIN;
  journal.writeInput({ type: 'feed-up', at: micros(at), connection: 1 });
  for (const text of frames(shape))
    journal.writeInput({ type: 'frame', at: micros((at += STEP)), bytes: encoder.encode(text) });
  await journal.close('done');
}

const LINES_AT_ONCE = 10_000;

/** Writes the same frames as a capture of the feed, one per line. */
export function capture(path: string, shape: Shape): void {
  let lines: string[] = [];
  for (const text of frames(shape)) {
    if (lines.push(text) < LINES_AT_ONCE) continue;
    appendFileSync(path, `${lines.join('\n')}\n`);
    lines = [];
  }
  appendFileSync(path, lines.join('\n'));
}

function* frames(shape: Shape): Generator<string> {
  let seq = 0;
  for (let market = 0; market < shape.markets; market++) yield emptyBook(tickerOf(market), (seq += 1));
  const rows = deltaRows({ markets: shape.markets, rows: shape.changes, seed: 7 });
  for (let row = 0; row < rows.length; row += ROW_LENGTH)
    yield levelChanged({
      ticker: tickerOf(rows[row] ?? 0),
      side: rows[row + 1] === 1 ? 'bid' : 'ask',
      price: (rows[row + 2] ?? 0) as Price,
      change: (rows[row + 3] ?? 0) as Qty,
      seq: (seq += 1),
    });
}
