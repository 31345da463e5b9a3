// Baked files for tests: temporary folders to write them to, and their rows as plain data.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RowBlock, RowSource } from '../../../src/tape/baked/tape-rows.ts';

/** One row as plain data. */
export interface PlainRow {
  readonly kind: number;
  readonly at: number;
  readonly venueAt: number;
  readonly market: number;
  readonly price: number;
  readonly qty: number;
  readonly text: string;
}

/** Returns every row of a source, or of a range of it. */
export function rowsOf(source: RowSource, range?: Parameters<RowSource['readBlocks']>[0]): PlainRow[] {
  return collect(source.readBlocks(range));
}

function collect(blocks: Iterable<RowBlock>): PlainRow[] {
  const rows: PlainRow[] = [];
  for (const block of blocks) for (let row = 0; row < block.count; row++) rows.push(rowOf(block, row));
  return rows;
}

const rowOf = (block: RowBlock, row: number): PlainRow => ({
  kind: block.kind[row] ?? -1,
  at: block.at[row] ?? -1,
  venueAt: block.venueAt[row] ?? -1,
  market: block.market[row] ?? -1,
  price: block.price[row] ?? -1,
  qty: block.qty[row] ?? -1,
  text: block.text(row),
});

/** Runs a function with a temporary folder, and deletes the folder afterwards. */
export function withTemporaryFolder<T>(act: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'presage-baked-'));
  try {
    return act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs an asynchronous function with a temporary folder, and deletes the folder afterwards. */
export async function withTemporaryFolderAsync(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'presage-baked-'));
  try {
    await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
