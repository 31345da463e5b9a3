// Reads from the end of the watchdog's log how it canceled the orders of a bot that died. Must never take the cancels of
// an earlier watchdog for those of the last one.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { z } from 'zod';
import type { BotRow } from '../api/api-schemas.ts';

type Strike = BotRow['process']['strike'];

/** The result follows the cancels of all orders, which have a line each. */
const TAIL_BYTES = 65_536;

const lineSchema = z.object({
  time: z.iso.datetime().transform((text) => Date.parse(text) * 1000),
  msg: z.string().optional(),
  isDone: z.boolean().optional(),
  canceled: z.int().optional(),
});

/** Returns the latest result in a log; `null` when the log does not exist or its last watchdog has none. */
export function readStrike(file: string): Strike {
  let strike: Strike = null;
  for (const text of tailOf(file).split('\n')) {
    const line = lineSchema.safeParse(parseJson(text)).data;
    if (line === undefined) continue;
    const { time, msg, isDone, canceled } = line;
    if (msg === 'watching') strike = null;
    if (isDone !== undefined && canceled !== undefined) strike = { atUs: time, isDone, canceled };
  }
  return strike;
}

function tailOf(file: string): string {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes === 0) return '';
  const descriptor = openSync(file, 'r');
  try {
    const tail = Buffer.alloc(Math.min(bytes, TAIL_BYTES));
    const read = readSync(descriptor, tail, 0, tail.length, bytes - tail.length);
    return tail.toString('utf8', 0, read);
  } finally {
    closeSync(descriptor);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
