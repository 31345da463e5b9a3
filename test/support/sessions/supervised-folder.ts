// The data folder and the config of a supervised session in a test: a folder of its own, deleted after the test.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BotConfig, botConfigSchema } from '../../../src/config/bot-config.ts';
import { parseYaml } from '../../../src/config/yaml.ts';
import { lockOf } from '../../../src/tape/journal/folder-lock.ts';

/** Creates a data folder with an empty journal and its lock: the session checks that both stay there. */
export function makeDataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'presage-session-'));
  mkdirSync(join(folder, 'journal'));
  writeFileSync(lockOf(join(folder, 'journal')), '');
  return folder;
}

export const removeDataFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/** The config of a bot with one strategy and that data folder, whose log is there, too. */
export const configIn = (folder: string): BotConfig =>
  parseYaml(
    `venue: { url: http://localhost }
markets: { events: [EVENT] }
strategies: [{ name: maker, file: maker.mjs }]
dataFolder: ${folder}
watchdog: { enabled: false }
limits:
  { orderQtyMax: 20, orderCostMax: 20, positionQtyMax: 60, marketCostMax: 60, accountCostMax: 400,
    workingOrdersMax: 40, priceMin: 0.02, priceMax: 0.98, bookAgeMax: 60s, closeGuard: 2s, groupCostMax: 100,
    dailyLossMax: 100, drawdownMax: 200, ordersPerSecondMax: 50, priceDistanceMax: 0.6 }
log: { file: ${folder}/bot.log }
orders: { grace: 60ms, stopWithin: 20s }
`,
    { file: 'bot.yaml', schema: botConfigSchema },
  );
