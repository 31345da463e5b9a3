// The saved steps of the go-live stages: one line of JSON each, only ever appended. Must never skip an unreadable line
// silently: it could be a failed step.
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Storage } from '../../tape/storage.ts';
import { RUNGS, type Step } from './judge.ts';

/** The name of the file. */
export const LADDER_FILE = 'ladder.jsonl';

const stepSchema = z.strictObject({
  rung: z.enum(RUNGS),
  atMs: z.number(),
  world: z.string().nullable(),
  strategies: z.string(),
  config: z.string(),
  isGood: z.boolean(),
  elapsedMs: z.number(),
  words: z.string(),
});

/** Thrown when the file is damaged. */
export class LadderFault extends Error {
  override readonly name = 'LadderFault';
}

/**
 * Returns the folder of the file: the parent of the data folder, so that the steps of one bot count for the next bot
 * with the same strategies.
 */
export const ladderFolder = (dataFolder: string): string => dirname(dataFolder);

/**
 * Reads all steps, oldest first; none when there is no file.
 * @throws {LadderFault} when a line is not a step; {StorageFault} when the file cannot be read.
 */
export function readSteps(storage: Storage): readonly Step[] {
  if (!storage.list().includes(LADDER_FILE)) return [];
  const text = Buffer.from(storage.read(LADDER_FILE, 0, storage.size(LADDER_FILE))).toString();
  return text
    .split('\n')
    .flatMap((line, index) =>
      line.trim() === '' ? [] : [stepOf(line, `${storage.place}/${LADDER_FILE}:${index + 1}`)],
    );
}

function stepOf(line: string, place: string): Step {
  const parsed = stepSchema.safeParse(jsonOf(line));
  if (parsed.success) return parsed.data;
  throw new LadderFault(`${place}: expected a step of the go-live stages, found something else`);
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
 * @throws {StorageFault} when it cannot be written.
 */
export function addStep(storage: Storage, step: Step): void {
  storage.append(LADDER_FILE, Buffer.from(`${JSON.stringify(step)}\n`));
  storage.sync(LADDER_FILE);
}
