// Reads the client order ids of all orders in a bot's journal.
import { fileStorage } from '../../src/tape/journal/file-storage.ts';
import { commandsOf } from '../../src/tape/format/input-lines.ts';
import { TapeReader } from '../../src/tape/journal/tape-reader.ts';

/**
 * Reads a journal from its beginning.
 * @throws {TapeFault} when anything but its torn end is damaged.
 */
export function journaledIds(folder: string): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const entry of new TapeReader(fileStorage(folder)).entries()) {
    if (entry.kind !== 'commands') continue;
    for (const command of commandsOf(entry)) if (command.type === 'place') ids.add(command.clientOrderId);
  }
  return ids;
}
