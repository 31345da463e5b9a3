// The journal of a session: in the data folder, as a recording, in both, or in neither.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenedVenue } from '../../../src/app/venue/open-venue.ts';
import { openSessionJournal } from '../../../src/app/session/session-journal.ts';
import { type BotConfig, botConfigSchema } from '../../../src/config/bot-config.ts';
import { parseYaml } from '../../../src/config/yaml.ts';
import type { Command } from '../../../src/domain/venue-command.ts';
import { TickerTable } from '../../../src/domain/ids.ts';
import { logTo } from '../../../src/log.ts';
import { SystemClock } from '../../../src/runtime/session/system-clock.ts';
import { BothJournals } from '../../../src/tape/journal/both-journals.ts';
import { fileStorage } from '../../../src/tape/journal/file-storage.ts';
import type { Journal } from '../../../src/tape/journal/journal-port.ts';
import type { Venue } from '../../../src/venue.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { tradeApiReplayParts } from '../../../src/venues/trade-api/replay-parts.ts';
import { MANIFEST, frame, journalOn, place, readAll, start } from '../../support/tapes/journal-entries.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'presage-session-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const log = logTo({ write: () => undefined }, 'silent');
function options(dataFolder?: string) {
  const config: BotConfig = parseYaml(
    'venue: { url: http://localhost }\nmarkets: { events: [EVENT] }\nlog: { file: a.log }\n',
    {
      file: 'bot.yaml',
      schema: botConfigSchema,
    },
  );
  const reading = tradeApiReplayParts({ profile: serviceProfile, tickers: new TickerTable() });
  // Only the normalizer of the venue is used.
  const venue = { name: 'service', ...reading } as unknown as Venue;
  const opened: OpenedVenue = {
    venue,
    clock: new SystemClock(),
    hasKey: false,
    ledger: null,
    openSecond: null,
    close: async () => undefined,
  };
  return { config: { ...config, ...(dataFolder !== undefined && { dataFolder }) }, opened, log };
}

describe('openSessionJournal', () => {
  it('returns null when no folder is named', async () => {
    expect(await openSessionJournal(options())).toBeNull();
  });

  it('opens only a recording when the config names no data folder', async () => {
    const record = join(folder, 'tape');
    const written = await openSessionJournal({ ...options(), record });
    expect(written).toMatchObject({ folder: null, recording: record });
    written?.journal.writeInput(start('s1'));
    expect(await written?.close('stopped')).toBe(true);
    expect(readAll(fileStorage(record))).toEqual([{ input: start('s1') }]);
  });

  it('writes identical entries to both folders when both are named', async () => {
    const record = join(folder, 'tape');
    const written = await openSessionJournal({ ...options(folder), record });
    expect(written).toMatchObject({ folder: join(folder, 'journal'), recording: record });
    for (const input of [start('s1'), frame('{"a":1}')]) written?.journal.writeInput(input);
    written?.journal.writeCommands([place(1)]);
    expect(await written?.close('stopped')).toBe(true);
    const [own, asked] = [join(folder, 'journal'), record].map((where) => readAll(fileStorage(where)));
    expect(own).toHaveLength(3);
    expect(asked).toEqual(own);
  });

  it('refuses to record into another venue’s tape, and then releases the data folder', async () => {
    const record = join(folder, 'tape');
    const other = journalOn(fileStorage(record), { manifest: { ...MANIFEST, profile: 'another' } });
    other.writeInput(start('s0'));
    await other.close('stopped');
    const refused = openSessionJournal({ ...options(folder), record });
    await expect(refused).rejects.toThrow(
      /expected a tape of profile service to continue, .* found one of profile another/,
    );
    const again = await openSessionJournal(options(folder));
    expect(again?.recording).toBeNull();
    await again?.close('stopped');
    expect(readdirSync(record)).toEqual(['00000001.tape']);
  });
});

describe('BothJournals', () => {
  const taking = (into: string[], fault?: Error): Journal => ({
    writeInput: () => void into.push('input'),
    writeNotices: (notices) => void into.push(`${notices.length} notices`),
    writeCommands: (commands: readonly Command[]) => {
      if (fault) throw fault;
      into.push(`${commands.length} commands`);
    },
  });

  it('fails when either of its journals fails, before the input counts as written', () => {
    const [first, second]: [string[], string[]] = [[], []];
    const both = new BothJournals(taking(first), taking(second, new Error('full')));
    both.writeInput(start('s1'));
    expect(() => both.writeCommands([place(1)])).toThrow('full');
    expect([first, second]).toEqual([['input', '1 commands'], ['input']]);
  });
});
