// The incidents of a fault plan that are in force, in a file beside the input log. The log does not say who paused the
// exchange: without the file, what a plan began would outlive the process that was to end it.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ticker } from '../../domain/ids.ts';
import { StoreError } from './input-store.ts';

const statusSchema = z.strictObject({ isActive: z.boolean(), isTrading: z.boolean() });
const keptSchema = z.discriminatedUnion('type', [
  /** All pauses of a plan together: the status before them, and the one that they have set. */
  z.strictObject({ type: z.literal('pause'), before: statusSchema, set: statusSchema }),
  z.strictObject({ type: z.enum(['halt', 'dispute']), ticker: z.string().transform(ticker) }),
]);

/** An incident in force. */
export type KeptIncident = z.output<typeof keptSchema>;
/** The exchange and its trading are open, or paused. */
export type ExchangeStatus = z.output<typeof statusSchema>;

/** Keeps the incidents in force for a later process. */
export interface IncidentStore {
  /** Incidents that an earlier process did not end. */
  readonly left: readonly KeptIncident[];
  keepIncidents(incidents: readonly KeptIncident[]): void;
}

const FILE_NAME = 'incidents.json';

/**
 * Opens the file of a data folder.
 * @throws {StoreError} when it cannot be read.
 */
export function openIncidentFile(folder: string): IncidentStore {
  const path = join(folder, FILE_NAME);
  return {
    left: readIncidents(path),
    keepIncidents(incidents) {
      try {
        if (incidents.length === 0) return rmSync(path, { force: true });
        writeFileSync(`${path}.new`, `${JSON.stringify(incidents)}\n`);
        renameSync(`${path}.new`, path);
      } catch {
        // The disk is full or gone: the next write of the input log ends the exchange and says so.
      }
    },
  };
}

function readIncidents(path: string): readonly KeptIncident[] {
  const text = textOf(path);
  if (text === null) return [];
  try {
    return z.array(keptSchema).parse(JSON.parse(text));
  } catch (error) {
    throw new StoreError(path, `expected the incidents in force, found ${text.slice(0, 80)}`, { cause: error });
  }
}

/** Returns `null` when there is no such file. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new StoreError(path, 'cannot be read', { cause: error });
  }
}
