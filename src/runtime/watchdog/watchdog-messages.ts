// Messages between a bot and its watchdog, one line of JSON each. Must never hold a key: the watchdog reads its own.
import { z } from 'zod';

export const botMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('beat'),
    /** The beginning of the session's order ids; empty before the session has begun. */
    session: z.string(),
    /** Number of the session's orders that may rest. */
    resting: z.int(),
    beats: z.int(),
  }),
  /** The session has ended properly: none of its orders rests. */
  z.strictObject({ type: z.literal('bye') }),
]);

/** A message of the bot. */
export type BotMessage = z.output<typeof botMessageSchema>;
export type Heartbeat = Extract<BotMessage, { type: 'beat' }>;

/** The watchdog's answer to every heartbeat. */
export const HEARTBEAT_ANSWER = 'heard';

/** Parses a message. Returns `null` when the line is no message. */
export function parseBotMessage(line: string): BotMessage | null {
  try {
    return botMessageSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
