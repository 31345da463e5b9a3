// The account of a data folder: the first session records it, and a session of another account is refused before it
// reads anything there.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Supervision } from '../../../src/app/session/supervision.ts';
import { type BotConfig, botConfigSchema } from '../../../src/config/bot-config.ts';
import { parseYaml } from '../../../src/config/yaml.ts';
import { logTo } from '../../../src/log.ts';
import { checkConfig } from '../../../src/runtime/doctor/config-checks.ts';
import { type FolderAccount, accountOf } from '../../../src/runtime/saved/folder-account.ts';
import { SystemClock } from '../../../src/runtime/session/system-clock.ts';
import { profileByName } from '../../../src/venues/trade-api/profiles/profile-registry.ts';
import { configIn, makeDataFolder, removeDataFolder } from '../../support/sessions/supervised-folder.ts';
import { must } from '../../../src/base/assert.ts';

let folder = '';
beforeEach(() => {
  folder = makeDataFolder();
});
afterEach(() => removeDataFolder(folder));

const KEY = 'key: { id: k, file: k.pem }';

function venueOf(members: string): BotConfig['venue'] {
  const text = `venue: { ${members} }\nmarkets: { tickers: [A] }\nlog: { file: a }\n`;
  return parseYaml(text, { file: 'bot.yaml', schema: botConfigSchema }).venue;
}

function accountIn(members: string): FolderAccount | null {
  const venue = venueOf(members);
  return accountOf(venue, must(profileByName(venue.profile), venue.profile));
}

/** Opens the data folder for a session of an account, and runs the session if `starts` is true. */
async function openFor(account: FolderAccount | null, starts = true): Promise<void> {
  const log = logTo({ write: () => undefined }, 'silent');
  const clock = new SystemClock();
  const options = { openSecond: null, config: configIn(folder), file: 'bot.yaml', log, clock, account };
  const supervision = must(await Supervision.openDataFolder(options), 'a data folder');
  if (starts) supervision.onSessionStarted();
  await supervision.close(null);
}

const DEMO = accountIn(`profile: kalshi, environment: demo, ${KEY}`);
const LIVE = accountIn(`profile: kalshi, environment: production, ${KEY}`);

describe('a data folder', () => {
  it.each<[string, string, FolderAccount | null]>([
    ['an environment of the venue', `profile: kalshi, environment: demo, ${KEY}`, DEMO],
    [
      'an environment reached by its address',
      `profile: kalshi, url: "https://api.elections.kalshi.com", ${KEY}`,
      { venue: 'kalshi', place: 'production', subaccount: 0 },
    ],
    [
      'a subaccount',
      `profile: kalshi, environment: demo, subaccount: 3, ${KEY}`,
      { ...must(DEMO, 'demo'), subaccount: 3 },
    ],
    [
      'another exchange',
      `url: "https://exchange.example:99", ${KEY}`,
      { venue: 'service', place: 'exchange.example', subaccount: 0 },
    ],
    [
      'an exchange on this machine, at any port',
      `url: "http://127.0.0.1:4321", ${KEY}`,
      { venue: 'service', place: 'localhost', subaccount: 0 },
    ],
    ['an embedded exchange', 'embedded: e.yaml, account: mara', { venue: 'embedded', place: 'mara', subaccount: 0 }],
    ['a bot without a key, which only watches', 'url: "http://localhost:1"', null],
  ])('belongs to an account at %s', (_title, members, expected) => {
    expect(accountIn(members)).toEqual(expected);
  });

  it('is recorded as that of the account whose session starts first', async () => {
    await openFor(DEMO, false);
    await openFor(null);
    expect(existsSync(join(folder, 'account.json'))).toBe(false);
    await openFor(LIVE);
    expect(JSON.parse(readFileSync(join(folder, 'account.json'), 'utf8'))).toEqual(LIVE);
    await openFor(LIVE);
    await openFor(null);
  });

  it('refuses a session of another account, and stays open to its own', async () => {
    await openFor(DEMO);
    const before = readFileSync(join(folder, 'account.json'), 'utf8');
    await expect(openFor(LIVE)).rejects.toThrow(
      `${folder}: expected the data folder of the account at kalshi, production, found that of the account at kalshi, demo. ` +
        'Losses, ledgers and saved state of one account must not count for another: give each account a dataFolder of its own. ' +
        'If none has traded here, remove account.json',
    );
    const subaccount = { ...must(DEMO, 'demo'), subaccount: 3 };
    await expect(openFor(subaccount)).rejects.toThrow('the account at kalshi, demo, subaccount 3, found');
    expect(readFileSync(join(folder, 'account.json'), 'utf8')).toBe(before);
    await openFor(DEMO);
  });

  it.each(['', 'demo', '{"venue":"kalshi"}'])('refuses a file of the account that holds %j', async (text) => {
    writeFileSync(join(folder, 'account.json'), text);
    await expect(openFor(DEMO)).rejects.toThrow(/account\.json: expected an account, such as .* found ".*Repair it/s);
  });

  it('of another account is reported by the doctor', async () => {
    await openFor(DEMO);
    const check = (members: string) => checkConfig({ venue: venueOf(members), dataFolder: folder });
    expect(check(`profile: kalshi, environment: demo, ${KEY}`)).toEqual([]);
    expect(check(`profile: kalshi, environment: production, ${KEY}`)).toMatchObject([
      {
        name: 'data folder',
        state: 'bad',
        words: expect.stringContaining('found that of the account at kalshi, demo'),
      },
    ]);
  });
});
