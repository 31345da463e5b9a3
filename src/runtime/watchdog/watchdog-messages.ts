// Messages between a bot and its watchdog, one line of JSON each. Must never hold a key: the watchdog reads its own.
import { z } from 'zod';
import type { BotConfig } from '../../config/bot-config.ts';

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

/** The first line for a watchdog: the config that the session runs with. It names the files of keys, and holds none. */
export const configLine = (config: BotConfig): string => JSON.stringify({ type: 'config', config });

const configSchema = z.strictObject({ type: z.literal('config'), config: z.looseObject({}) });

/** Returns the config in the first line for a watchdog, or `null` when the line is another one. */
export function parseConfigLine(line: string): BotConfig | null {
  try {
    const message = configSchema.safeParse(JSON.parse(line)).data;
    // tidy: as (the bot, which is the same program, wrote the line from a config that it had checked)
    return message === undefined ? null : (message.config as unknown as BotConfig);
  } catch {
    return null;
  }
}
