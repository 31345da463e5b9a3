// A side of a comparison from the tables of an exported run. Must never round: prices and quantities are whole numbers of
// their smallest units.
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { UsageError } from '../../app/usage-error.ts';
import { readRunFacts } from '../export/exported-facts.ts';
import { readGroupTable } from '../study/group-files.ts';
import { type ComparedRun, type RunFill, type RunStep, inTimeSequence } from './compared-run.ts';

const PRICE_UNITS = 10_000;
const QTY_UNITS = 100;

type Row = Readonly<Record<string, unknown>>;

/**
 * Reads an exported run.
 * @throws {UsageError} when a table or the facts are missing, or cannot be read.
 */
export async function readExportedRun(name: string, folder: string): Promise<ComparedRun> {
  const { kind, decisionHash, isPartial, seed, strategies } = readRunFacts(folder);
  const [groups, orders, denials, fills] = await Promise.all([
    readTable(folder, 'groups', readGroupTable),
    readTable(folder, 'orders', readRows),
    readTable(folder, 'denials', readRows),
    readTable(folder, 'fills', readRows),
  ]);
  return {
    name,
    kind,
    decisionHash,
    isPartial,
    seed,
    strategies: strategies.map(({ params, ...use }) => ({ ...use, params })),
    groups,
    steps: inTimeSequence([...orders.map(orderStep), ...denials.map(denialStep)]),
    fills: inTimeSequence(fills.map(fillOf)),
    hasDenials: true,
  };
}

/** @throws {UsageError} when the table cannot be read. */
async function readTable<Table>(folder: string, name: string, read: (path: string) => Promise<Table>): Promise<Table> {
  const path = join(folder, `${name}.parquet`);
  try {
    return await read(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`${path}: expected a table of an exported run: ${reason}`, { cause });
  }
}

/** The reader's own parser of times drops the microseconds. */
const PARSERS = { timestampFromMicroseconds: (time: bigint): bigint => time };

const readRows = async (path: string): Promise<Row[]> =>
  parquetReadObjects({ file: await asyncBufferFromFile(path), parsers: PARSERS });

const scaled = (value: unknown, units: number): number => Math.round(Number(value) * units);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const orderStep = (row: Row): RunStep => ({
  type: 'order',
  at: Number(row['created']),
  strategy: textOf(row['strategy']),
  market: textOf(row['market']),
  terms: { side: textOf(row['side']), price: scaled(row['price'], PRICE_UNITS), qty: scaled(row['qty'], QTY_UNITS) },
  code: null,
  reason: textOf(row['reason']),
});

const denialStep = (row: Row): RunStep => ({
  type: 'denial',
  at: Number(row['at']),
  strategy: textOf(row['strategy']),
  market: row['market'] === null ? null : textOf(row['market']),
  terms: null,
  code: textOf(row['code']),
  reason: textOf(row['why']),
});

const fillOf = (row: Row): RunFill => ({
  at: Number(row['at']),
  market: textOf(row['market']),
  side: textOf(row['side']),
  price: scaled(row['price'], PRICE_UNITS),
  qty: scaled(row['qty'], QTY_UNITS),
});
