// The files of a study's trials: the results of each by event group. Must never give a trial that has not finished any
// result.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { type Micros, micros } from '../../domain/units.ts';
import type { GroupResult } from '../trial/study-trial.ts';

/** The file of a trial's results by event group. */
export const groupsFile = (folder: string, hash: string): string => join(folder, 'trials', `${hash}.parquet`);

/** The file of a trial's results in the sealed test. */
export const sealedFile = (folder: string, hash: string): string => join(folder, 'sealed', `${hash}.parquet`);

/** Reads a trial's results in the sealed test; none before the first look with the trial. */
export async function readSealedGroups(folder: string, hash: string): Promise<GroupResult[]> {
  const path = sealedFile(folder, hash);
  return existsSync(path) ? readGroupTable(path) : [];
}

/** Reads a trial's results by event group; none when it has not finished. */
export async function readTrialGroups(folder: string, hash: string): Promise<GroupResult[]> {
  const path = groupsFile(folder, hash);
  return existsSync(path) ? readGroupTable(path) : [];
}

/** Reads a table of results by event group. */
export async function readGroupTable(path: string): Promise<GroupResult[]> {
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(path), parsers: PARSERS });
  return rows.map((row) => ({
    group: String(row['group']),
    cluster: String(row['cluster']),
    from: timeOf(row['from']),
    known: row['known'] === null ? null : timeOf(row['known']),
    profit: scaled(row['profit'], 1e6),
    fees: scaled(row['fees'], 1e6),
    qty: scaled(row['qty'], 100),
    fills: Number(row['fills']),
    lockedDollarDays: Number(row['locked_dollar_days']),
  }));
}

/** A decimal as a whole number of its smallest unit: the nearest, because the reader divides in floating point. */
const scaled = (value: unknown, units: number): number => Math.round(Number(value) * units) + 0;

/** The reader's own parser of times drops the microseconds. */
const PARSERS = { timestampFromMicroseconds: (time: bigint): bigint => time };
const timeOf = (value: unknown): Micros => micros(Number(value));
