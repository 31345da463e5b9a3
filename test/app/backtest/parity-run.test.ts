// A comparison with a backtest needs a session that traded: a journal without one is refused with what it holds.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runParity } from '../../../src/app/backtest/parity-run.ts';
import { UsageError } from '../../../src/app/usage-error.ts';
import { readBotConfig } from '../../../src/config/bot-config.ts';
import { TickerTable } from '../../../src/domain/ids.ts';
import { manifestOf } from '../../../src/runtime/replay/session-manifest.ts';
import { plainName } from '../../../src/tape/format/segment-files.ts';
import type { SegmentHeader } from '../../../src/tape/format/segment-header.ts';
import { fileStorage } from '../../../src/tape/journal/file-storage.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { tradeApiReplayParts } from '../../../src/venues/trade-api/replay-parts.ts';
import { AT, journalOn, place, start } from '../../support/tapes/journal-entries.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-parity-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes the journal of a session without strategies. */
async function writeSession(of: SegmentHeader['of'] = 'journal', commands: Parameters<typeof place>[] = []) {
  const config = { ...readBotConfig('config/demo.yaml'), strategies: [] };
  const venue = { name: 'service', ...tradeApiReplayParts({ profile: serviceProfile, tickers: new TickerTable() }) };
  const manifest = await manifestOf({ config, venue, hasKey: true, version: '1', folder });
  const journal = journalOn(fileStorage(folder), { manifest, of });
  journal.writeInput(start('s1'));
  journal.writeCommands(commands.map((each) => place(...each)));
  await journal.close('done');
}

/** Keeps the first lines of the journal, and a part of the next one. */
function cutTo(lines: number): void {
  const file = join(folder, plainName(1));
  const text = readFileSync(file, 'utf8');
  const end = text.split('\n', lines).reduce((sum, line) => sum + line.length + 1, 0);
  writeFileSync(file, text.slice(0, end + 20));
}

const parity = () => runParity(folder, { seed: 1 });

it('refuses a session of which a crash has left the header alone', async () => {
  await writeSession();
  cutTo(1);
  await expect(parity()).rejects.toThrow(new UsageError('session s1 never traded: there is nothing to compare'));
});

it('refuses a journal of which a crash has left a part of the header, and a recording, with what it found', async () => {
  await writeSession();
  cutTo(0);
  await expect(parity()).rejects.toThrow('expected a session with orders, found none');
  rmSync(join(folder, plainName(1)));
  await writeSession('recording');
  await expect(parity()).rejects.toThrow('expected a session with orders, found a recording of the feed alone');
});

it('says that the journal replays differently where it does so before the session trades', async () => {
  await writeSession('journal', [[1, AT]]);
  await expect(parity()).rejects.toThrow(
    'session s1 cannot be compared: its journal replays differently from 2025-11-21T04:40:00.000000Z on, before it traded',
  );
});
