// What a bot tells its watchdog, a JSON line each, and what the watchdog says back. Schemas alone.
// Must never hold a key: the watchdog reads its own.
import { z } from 'zod';

export const beatSchema = z.discriminatedUnion('type', [
  /** A sign of life. */
  z.strictObject({
    type: z.literal('beat'),
    /** With what the session's order ids begin; empty before it has begun. */
    session: z.string(),
    /** How many of its orders may rest. */
    resting: z.int(),
    /** Beats so far. */
    beats: z.int(),
  }),
  /** The session ends well: nothing of it rests. */
  z.strictObject({ type: z.literal('bye') }),
]);

/** What a bot tells. */
export type Sign = z.output<typeof beatSchema>;
export type Beat = Extract<Sign, { type: 'beat' }>;

/** What the watchdog says to every beat. */
export const HEARD = 'heard';

/** A sign of life, or `null` for what is none. */
export function signOf(line: string): Sign | null {
  try {
    return beatSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
