// The data folder of paper sessions, which lies inside the bot's. Must never hold a session with real orders.
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { JOURNAL_FOLDER } from '../../runtime/saved/data-folder.ts';

/** Returns the data folder that paper sessions of a bot have for themselves. */
export const paperFolder = (dataFolder: string): string => join(dataFolder, 'paper');

/** Returns the name of a bot's paper session: the bot's, with a mark. */
export const paperName = (bot: string): string => `${bot} (paper)`;

/** Returns the name of the bot that a data folder belongs to. */
export const botOfFolder = (dataFolder: string, isPaper: boolean): string =>
  isPaper ? paperName(basename(dirname(dataFolder))) : basename(dataFolder);

/** The end of a message that found nothing in a bot's data folder; empty when there are no paper sessions, either. */
export function paperHint(dataFolder: string): string {
  const folder = paperFolder(dataFolder);
  return existsSync(join(folder, JOURNAL_FOLDER)) ? `; its paper sessions: --data ${folder}` : '';
}
