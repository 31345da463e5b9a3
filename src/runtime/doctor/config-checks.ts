// Checks that need no venue: for an unencrypted connection, and for a data folder that others may write to or that belongs
// to another account. They report problems only.
import { isUnencryptedRemote } from '../../config/addresses.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { StorageFault } from '../../tape/journal/storage.ts';
import { profileByName } from '../../venues/trade-api/profiles/profile-registry.ts';
import { accountOf, refuseOtherAccount } from '../saved/folder-account.ts';
import { refuseWritableFolder } from '../saved/data-folder.ts';
import { type Check, warnCheck, badCheck } from './check-result.ts';

/** Returns a warning for each problem that a session accepts. Other problems are failures. */
export const checkConfig = ({ venue, dataFolder }: Pick<BotConfig, 'venue' | 'dataFolder'>): Check[] => [
  ...checkEncryption([venue.url, venue.feedUrl]),
  ...checkFolder(dataFolder),
  ...checkFolderAccount(venue, dataFolder),
];

function checkEncryption(addresses: readonly (string | undefined)[]): Check[] {
  const exposed = addresses.filter((address) => address !== undefined && isUnencryptedRemote(address));
  if (exposed.length === 0) return [];
  const words = `what is sent to ${exposed.join(' and ')} is not encrypted: others on the network can read it and change orders`;
  return [warnCheck('encryption', words, 'use https and wss, or reach the venue through a tunnel that ends here')];
}

function checkFolder(folder: string | undefined): Check[] {
  try {
    if (folder !== undefined) refuseWritableFolder(folder);
    return [];
  } catch (fault) {
    if (!(fault instanceof StorageFault)) throw fault;
    return [badCheck('data folder', fault.message, 'use a folder that only its owner may write to: chmod 700')];
  }
}

function checkFolderAccount(venue: BotConfig['venue'], folder: string | undefined): Check[] {
  const profile = profileByName(venue.profile);
  const account = profile ? accountOf(venue, profile) : null;
  try {
    if (folder !== undefined && account !== null) refuseOtherAccount(fileStorage(folder), account);
    return [];
  } catch (fault) {
    if (!(fault instanceof StorageFault)) throw fault;
    return [badCheck('data folder', fault.message, 'give each account a dataFolder of its own')];
  }
}
