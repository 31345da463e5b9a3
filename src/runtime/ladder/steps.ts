// The steps of the ladder as they are kept: one line of JSON each, only ever added to.
// Must never drop a line that cannot be read in silence: a step that is not understood might be a bad one.
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Storage } from '../../tape/storage.ts';
import { RUNGS, type Step } from './judge.ts';

/** The file's name. */
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

/** The file cannot be believed. */
export class LadderFault extends Error {
  override readonly name = 'LadderFault';
}

/**
 * The folder in which the steps are kept: the one that data folders are in, so that what one bot has climbed counts for the
 * next one of the same strategies.
 */
export const ladderFolder = (dataFolder: string): string => dirname(dataFolder);

/**
 * All steps, oldest first; none where there is no file.
 * @throws {LadderFault} when a line is no step; {StorageFault} when the file cannot be read.
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
  throw new LadderFault(`${place}: expected a step of the ladder, found something else`);
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/**
 * Adds a step.
 * @throws {StorageFault} when it cannot be written.
 */
export function addStep(storage: Storage, step: Step): void {
  storage.append(LADDER_FILE, Buffer.from(`${JSON.stringify(step)}\n`));
  storage.sync(LADDER_FILE);
}
