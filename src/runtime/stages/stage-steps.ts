// The saved steps of the go-live stages, one line of JSON each. A step is the outcome of a session, a replay or a run
// of the doctor. Must never skip an unreadable line silently: it could be a failed step.
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Storage } from '../../tape/journal/storage.ts';
import { GO_LIVE_STAGES, type StageStep } from './go-live-stages.ts';

/** The name of the file. */
export const STAGES_FILE = 'ladder.jsonl';

const stepSchema = z.strictObject({
  rung: z.enum(GO_LIVE_STAGES),
  atMs: z.number(),
  world: z.string().nullable(),
  strategies: z.string(),
  config: z.string(),
  isGood: z.boolean(),
  elapsedMs: z.number(),
  words: z.string(),
});

/** Thrown when the file is damaged. */
export class StagesFileFault extends Error {
  override readonly name = 'LadderFault';
}

/**
 * Returns the folder of the file: the parent of the data folder. There, the steps of one bot are found by the next bot
 * with the same strategies.
 */
export const stagesFolder = (dataFolder: string): string => dirname(dataFolder);

/**
 * Reads all steps, oldest first. Returns an empty list when the file does not exist.
 * @throws {StagesFileFault} when a line is not a step; {StorageFault} when the file cannot be read.
 */
export function readSteps(storage: Storage): readonly StageStep[] {
  if (!storage.listFiles().includes(STAGES_FILE)) return [];
  const text = Buffer.from(storage.readBytes(STAGES_FILE, 0, storage.sizeOf(STAGES_FILE))).toString();
  return text
    .split('\n')
    .flatMap((line, index) =>
      line.trim() === '' ? [] : [stepOf(line, `${storage.path}/${STAGES_FILE}:${index + 1}`)],
    );
}

function stepOf(line: string, place: string): StageStep {
  const parsed = stepSchema.safeParse(jsonOf(line));
  if (parsed.success) return parsed.data;
  throw new StagesFileFault(`${place}: expected a step of the go-live stages, found something else`);
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/**
 * Appends a step.
 * @throws {StorageFault} when the file cannot be written.
 */
export function appendStep(storage: Storage, step: StageStep): void {
  storage.appendBytes(STAGES_FILE, Buffer.from(`${JSON.stringify(step)}\n`));
  storage.syncFile(STAGES_FILE);
}
