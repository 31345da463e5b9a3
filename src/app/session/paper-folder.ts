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

/** True when a bot has had a paper session with a journal. */
export const hasPaperSessions = (dataFolder: string): boolean =>
  existsSync(join(paperFolder(dataFolder), JOURNAL_FOLDER));

/** The end of a message that found nothing in a bot's data folder; empty when there are no paper sessions, either. */
export const paperHint = (dataFolder: string): string =>
  hasPaperSessions(dataFolder) ? `; its paper sessions: --data ${paperFolder(dataFolder)}` : '';
