// The speed of baking raw frames on a tape into rows, against JSON.parse of every line; and of reading rows, against
// the same sums over typed arrays in memory. Also the memory that all of it takes.
import { closeSync, openSync, readSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROW_LENGTH, deltaRows } from '../../support/tapes/workload.ts';
import { must } from '../../../src/base/assert.ts';
import { type MarketIndex, ticker } from '../../../src/domain/ids.ts';
import { micros, type Price, type Qty } from '../../../src/domain/units.ts';
import { bakeTape } from '../../../src/tape/tools/bake-tape.ts';
import { openBakedFile } from '../../../src/tape/baked/baked-reader.ts';
import { BLOCK_ROWS, type RowBlock } from '../../../src/tape/baked/tape-rows.ts';
import { BakedWriter } from '../../../src/tape/baked/baked-writer.ts';
import { fileStorage } from '../../../src/tape/journal/file-storage.ts';
import { importerNamed } from '../../../src/tape/import/import-formats.ts';
import { captureWire } from '../../../src/venues/trade-api/captures/capture-dialects.ts';
import { TradeApiNormalizer } from '../../../src/venues/trade-api/normalize/trade-api-normalizer.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { capture, inFolder, record } from '../recording.ts';
import type { Figures, Scenario } from '../scenario.ts';
import type { Stretch } from '../stretches.ts';

const MARKETS = 1000;
const CHANGES = 400_000;
const ROWS = 5_000_000;
const PASSES = 5;

/** A pass over all items. It may call `split` at a place that every pass reaches. */
type Pass = (pass: number, split: () => void) => void | Promise<void>;

/** Runs a few passes, the first to warm up, and times each in stretches. */
async function passes(count: number, act: Pass): Promise<Stretch[]> {
  const stretches: Stretch[] = [];
  for (let pass = 0; pass <= PASSES; pass++) {
    const times = [performance.now()];
    await act(pass, () => times.push(performance.now()));
    times.push(performance.now());
    const spans = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    if (pass > 0) stretches.push(...spans.map((ms) => ({ things: count / spans.length, ms })));
  }
  return stretches;
}

/** Makes a function that calls `act` once per `times` calls. */
function everyTime(times: number, act: () => void): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count % times === 0) act();
  };
}

/** Pieces of a file per stretch: eight megabytes. */
const PIECES = 32;

/** A file for each pass: replacing an existing one would add the cost of its removal. */
const bakedFile = (folder: string, pass: number): string => join(folder, `baked-${pass}.arrow`);

export const bakeFrames: Scenario = {
  name: 'bake',
  what: 'a recording: lines and their checksums → frames → normalizer → rows in a baked file',
  baseline: 'bake-naive',
  run: () =>
    inFolder(async (folder): Promise<Figures> => {
      await record(folder, { markets: MARKETS, changes: CHANGES });
      const framesPerSecond = await passes(CHANGES, (pass, split) => {
        const storage = fileStorage(folder);
        const fill = storage.readInto.bind(storage);
        const onPiece = everyTime(PIECES, split);
        storage.readInto = (...piece) => {
          onPiece();
          return fill(...piece);
        };
        const { counts } = bakeTape({
          storage,
          to: bakedFile(folder, pass),
          normalizerOf: (_profile, tickers) => new TradeApiNormalizer({ profile: serviceProfile, tickers }),
        });
        if (counts['delta'] !== CHANGES) throw new Error(`bake: expected ${CHANGES} changes, found ${counts['delta']}`);
      });
      return { framesPerSecond, peakBytes: process.resourceUsage().maxRSS * 1024 };
    }),
};

export const bakeNaive: Scenario = {
  name: 'bake-naive',
  what: 'the same recording, JSON.parse of the frame in every line, and nothing else',
  run: () =>
    inFolder(async (folder): Promise<Figures> => {
      await record(folder, { markets: MARKETS, changes: CHANGES });
      const files = readdirSync(folder)
        .filter((name) => name.endsWith('.tape'))
        .sort();
      let frames = 0;
      const framesPerSecond = await passes(CHANGES, (_pass, split) => {
        frames = 0;
        const onPiece = everyTime(PIECES, split);
        for (const file of files) frames += parseLines(join(folder, file), onPiece);
      });
      if (frames < CHANGES) throw new Error(`bake-naive: expected ${CHANGES} frames, found ${frames}`);
      return { framesPerSecond };
    }),
};

export const importFrames: Scenario = {
  name: 'import',
  what: 'the same frames as a capture: lines → frames → normalizer → checked books → rows, after the markets they name',
  baseline: 'bake-naive',
  run: () =>
    inFolder(async (folder): Promise<Figures> => {
      const file = join(folder, 'capture.jsonl');
      capture(file, { markets: MARKETS, changes: CHANGES });
      const importer = must(importerNamed('feed-jsonl'), 'the format of captures');
      const framesPerSecond = await passes(CHANGES, async (pass, split) => {
        const { facts } = await importer.importFiles({
          files: [file],
          writer: new BakedWriter(bakedFile(folder, pass), { isDurable: false }),
          wire: captureWire,
          venue: serviceProfile.name,
          onProgress: everyTime(PIECES, split),
        });
        if (facts.counts['delta'] !== CHANGES) throw new Error(`import: expected ${CHANGES} changes, found others`);
      });
      return { framesPerSecond };
    }),
};

const CHUNK_BYTES = 1 << 18;

/** Parses every frame of a file, a piece at a time; returns the number of frames. */
function parseLines(path: string, onPiece: () => void): number {
  const fd = openSync(path, 'r');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest = '';
  let frames = 0;
  for (let got = readSync(fd, chunk); got > 0; got = readSync(fd, chunk)) {
    onPiece();
    const lines = (rest + chunk.toString('latin1', 0, got)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (isFrame(JSON.parse(line.slice(line.indexOf('{'))))) frames += 1;
  }
  closeSync(fd);
  return frames;
}

const isFrame = (value: unknown): boolean => typeof value === 'object' && value !== null && 'sid' in value;

/** The columns of a block, or of memory with the same shape. */
type Columns = Omit<RowBlock, 'text'>;

/** Sums every number of every row, so that none can be left unread. */
function sumOf({ count, kind, at, venueAt, market, price, qty }: Columns): number {
  let sum = 0;
  for (let row = 0; row < count; row++)
    sum +=
      (kind[row] ?? 0) +
      (at[row] ?? 0) +
      (venueAt[row] ?? 0) +
      (market[row] ?? 0) +
      (price[row] ?? 0) +
      (qty[row] ?? 0);
  return sum;
}

export const replayRows: Scenario = {
  name: 'replay-rows',
  what: `a baked file of ${ROWS / 1_000_000} M rows, written and then read a block at a time with its checksums, every number summed`,
  baseline: 'replay-rows-bare',
  run: () =>
    inFolder(async (folder): Promise<Figures> => {
      const path = join(folder, 'baked.arrow');
      const begun = performance.now();
      writeRows(path);
      const writtenPerSecond = (ROWS * 1000) / (performance.now() - begun);
      const source = openBakedFile(path);
      let sum = 0;
      const rowsPerSecond = await passes(ROWS, () => {
        sum = 0;
        for (const block of source.readBlocks()) sum += sumOf(block);
      });
      source.close();
      if (!(sum > 0)) throw new Error('replay-rows: expected rows, found none');
      return { rowsPerSecond, writtenPerSecond, peakBytes: process.resourceUsage().maxRSS * 1024 };
    }),
};

function writeRows(path: string): void {
  const writer = new BakedWriter(path);
  for (let market = 0; market < MARKETS; market++) writer.marketNumber(ticker(`M-${market}`));
  const rows = deltaRows({ markets: MARKETS, rows: 100_000, seed: 7 });
  for (let row = 0; row < ROWS; row++) {
    const from = (row * ROW_LENGTH) % rows.length;
    const at = micros(1_795_000_000_000_000 + row);
    writer.writeDelta({
      at,
      exchangeAt: at,
      market: (rows[from] ?? 0) as MarketIndex,
      side: rows[from + 1] === 1 ? 'bid' : 'ask',
      price: (rows[from + 2] ?? 0) as Price,
      change: (rows[from + 3] ?? 0) as Qty,
    });
  }
  writer.finish({ source: 'bench', venue: 'bench', sourceHash: '' });
}

export const replayRowsBare: Scenario = {
  name: 'replay-rows-bare',
  what: 'the same sums over one block of typed arrays that stays in the cache: no file, no checksum',
  async run() {
    const count = BLOCK_ROWS;
    const columns: Columns = {
      count,
      kind: new Uint8Array(count).fill(1),
      at: new Float64Array(count).fill(1_795_000_000_000_000),
      venueAt: new Float64Array(count).fill(1_795_000_000_000_000),
      market: new Int32Array(count).fill(500),
      price: new Int32Array(count).fill(4200),
      qty: new Float64Array(count).fill(100),
    };
    let sum = 0;
    const blocks = Math.ceil(ROWS / count);
    const rowsPerSecond = await passes(blocks * count, () => {
      for (let block = 0; block < blocks; block++) sum += sumOf(columns);
    });
    if (!(sum > 0)) throw new Error('replay-rows-bare: expected a sum, found none');
    return { rowsPerSecond };
  },
};
