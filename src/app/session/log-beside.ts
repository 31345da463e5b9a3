// The log of a paper session or a recording, beside the bot's. Must never be the bot's own log: two processes that roll
// one file lose lines.
import { statSync } from 'node:fs';
import { join, parse } from 'node:path';

/**
 * Returns the log of another session of a bot's config: `bot.log` becomes `bot.paper.log`. A device or a pipe, such as
 * `/dev/stdout`, stays: nothing rolls it.
 */
export function logBeside(file: string, session: 'paper' | 'record'): string {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) return file;
  const { dir, name, ext } = parse(file);
  return join(dir, `${name}.${session}${ext}`);
}
