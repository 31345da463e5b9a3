// Invariant I10: a replay of every session's journal gives the same commands, byte for byte. Must never pass a session
// that the replay omitted.
import { type ReplayReport, replayTape } from '../../../src/runtime/replay/tape-replay.ts';
import type { Manifest } from '../../../src/tape/format/segment-header.ts';
import type { Storage } from '../../../src/tape/journal/storage.ts';
import { bindStrategy } from '../bot/bot-strategies.ts';
import type { Verdict } from './verdict.ts';

/** Replays a journal. Returns the number of its sessions and commands. */
export async function checkReplay(storage: Storage, verdict: Verdict): Promise<{ sessions: number; commands: number }> {
  const strategies = ({ strategies: listed }: Manifest) =>
    Promise.resolve(listed.map(({ name, params }) => bindStrategy(name, params)));
  let report: ReplayReport;
  try {
    report = await replayTape({ storage, strategies });
  } catch (fault) {
    verdict.fail(
      'I10',
      `the journal cannot be replayed: ${fault instanceof Error ? (fault.stack ?? '') : String(fault)}`,
    );
    return { sessions: 0, commands: 0 };
  }
  let commands = 0;
  for (const { session, difference, leftOut, commands: same } of report.sessions) {
    commands += same;
    verdict.require(leftOut === null, 'I10', () => `session ${session} was omitted: ${leftOut}`);
    verdict.require(difference === null, 'I10', () => `session ${session} differs: ${JSON.stringify(difference)}`);
  }
  return { sessions: report.sessions.length, commands };
}
