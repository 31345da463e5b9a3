// The saved steps of the go-live stages, one line of JSON each. A step is the outcome of a session, a replay or a run
// of the doctor. Must never skip an unreadable line silently: it could be a failed step. A last line that a crash or a
// full disk has cut short stands for a failed step of the stage and the strategies that it names. One that names none is
// a step that was never saved.
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
  const { lines, end } = readLines(storage);
  const steps = lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [stepOf(line, `${storage.path}/${STAGES_FILE}:${index + 1}`)],
  );
  return [...steps, ...stepsOfEnd(end)];
}

interface StagesLines {
  readonly lines: readonly string[];
  /** Bytes of the lines, each with its newline. */
  readonly bytes: number;
  /** A last line without its newline; empty in a whole file. */
  readonly end: string;
}

function readLines(storage: Storage): StagesLines {
  if (!storage.listFiles().includes(STAGES_FILE)) return { lines: [], bytes: 0, end: '' };
  const content = Buffer.from(storage.readBytes(STAGES_FILE, 0, storage.sizeOf(STAGES_FILE)));
  const bytes = content.lastIndexOf('\n') + 1;
  const lines = content.toString('utf8', 0, bytes).split('\n');
  return { lines, bytes, end: content.toString('utf8', bytes) };
}

/** Returns the step of a last line without its newline: the whole step, a failed one in its place, or none. */
function stepsOfEnd(line: string): readonly StageStep[] {
  const whole = stepSchema.safeParse(jsonOf(line));
  if (whole.success) return [whole.data];
  const [, rung, atMs, world, strategies] = CUT_STEP.exec(line) ?? [];
  const failed = stepSchema.safeParse({
    rung,
    atMs: Number(atMs),
    world: jsonOf(world ?? ''),
    strategies,
    config: '',
    isGood: false,
    elapsedMs: 0,
    words: 'its outcome was not saved in full',
  });
  return failed.success ? [failed.data] : [];
}

/** The members of a step that name its stage and its strategies, as `appendStep` writes them. */
const CUT_STEP = /^\{"rung":"(\w+)","atMs":(\d+),"world":(null|"[^"]*"),"strategies":"([^"]*)"/;

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
 * Appends a step. A last line that was cut short is first replaced by the step that it stands for.
 * @throws {StorageFault} when the file cannot be read or written.
 */
export function appendStep(storage: Storage, step: StageStep): void {
  const { bytes, end } = readLines(storage);
  if (end !== '') storage.truncateFile(STAGES_FILE, bytes);
  const lines = [...stepsOfEnd(end), step].map((each) => `${JSON.stringify(inSequence(each))}\n`);
  storage.appendBytes(STAGES_FILE, Buffer.from(lines.join('')));
  storage.syncFile(STAGES_FILE);
}

/** The members that name the stage and the strategies come first, so that a line that is cut short still names them. */
const inSequence = ({ rung, atMs, world, strategies, ...outcome }: StageStep): StageStep => ({
  rung,
  atMs,
  world,
  strategies,
  ...outcome,
});
