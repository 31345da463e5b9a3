// `presage journal replay`: a journal without a session is never taken for one that replays to the same commands.
import { expect, it } from 'vitest';
import { replayJournal } from '../../../src/cli/journal/journal-replay.ts';
import { plainName } from '../../../src/tape/format/segment-files.ts';
import { verifyTape } from '../../../src/tape/tools/verify-tape.ts';
import { MemoryDisk } from '../../support/tapes/memory-storage.ts';

/** A journal of which a crash has left a part of the header. */
function torn() {
  const disk = new MemoryDisk();
  disk.write(plainName(1), Buffer.from('00000000 1 17950'));
  return disk.open();
}

it('refuses a journal of which a crash has left no whole line', async () => {
  await expect(replayJournal(torn(), { folder: 'var/bot/journal' })).rejects.toThrow(
    'var/bot/journal: expected a session, found none',
  );
});

it('counts the bytes on disk of a file without a whole line', () => {
  expect(verifyTape(torn())).toMatchObject({ files: 1, bytes: 16, entries: 0, torn: { tornBytes: 16 } });
});
