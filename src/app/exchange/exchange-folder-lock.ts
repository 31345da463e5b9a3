// Locks the data folder of a local exchange, alone or embedded. Two exchanges that store their inputs in one folder
// mix them, and the next start replays an exchange that never was.
import type { ExchangeConfig } from '../../config/exchange-config.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';

/**
 * Locks the data folder of an exchange. The returned function unlocks it. Does nothing without a data folder.
 * @throws {StorageFault} when another exchange uses the folder.
 */
export function lockExchangeFolder({ dataFolder }: Pick<ExchangeConfig, 'dataFolder'>): () => void {
  if (dataFolder === undefined) return () => undefined;
  const storage = fileStorage(dataFolder);
  storage.lockFolder();
  return () => storage.close();
}
