// The replay of a busy journal: the whole command, the parts of its cost, and JSON.parse of the same inputs. Must never count
// the making of the journal.
import { join } from 'node:path';
import { recordedStrategies } from '../../../src/app/strategy/recorded-strategies.ts';
import { must } from '../../../src/base/assert.ts';
import { setupFromManifest } from '../../../src/runtime/replay/session-manifest.ts';
import { SessionReplay } from '../../../src/runtime/replay/session-replay.ts';
import type { Entry } from '../../../src/tape/format/tape-line.ts';
import { fileStorage } from '../../../src/tape/journal/file-storage.ts';
import { TapeReader } from '../../../src/tape/journal/tape-reader.ts';
import { privateTypesOf } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { presage } from '../../e2e/presage.ts';
import { recordDay } from '../day-session.ts';
import { inFolder } from '../recording.ts';
import type { Figures, Scenario } from '../scenario.ts';

/** As much of a busy day as is made and replayed within a minute. */
const SESSION = { hours: 0.5, seed: 1, furtherMarkets: 0, changesPerSecond: 25 };

/** The causes of a replay's work. */
const CAUSES = ['feed', 'account', 'answer', 'timer', 'commands'] as const;
type Cause = (typeof CAUSES)[number];
interface Cost {
  count: number;
  ms: number;
}

/** The beginning of an account's message, in a frame as the exchange writes it. */
const ACCOUNT = privateTypesOf(serviceProfile.feed).map((type) => Buffer.from(`{"type":"${type}"`));

function causeOf({ kind, payload }: Entry): Cause | null {
  if (kind === 'answer' || kind === 'commands') return kind;
  if (kind === 'event') return 'timer';
  if (kind !== 'frame') return null;
  return ACCOUNT.some((beginning) => payload.subarray(0, beginning.length).equals(beginning)) ? 'account' : 'feed';
}

/** Replays the journal in this process, and adds up the time of its entries by their causes. */
async function replayCosts(folder: string): Promise<Readonly<Record<Cause, Cost>>> {
  const cost = (): Cost => ({ count: 0, ms: 0 });
  const costs = { feed: cost(), account: cost(), answer: cost(), timer: cost(), commands: cost() };
  const replay = await replayOf(folder);
  new TapeReader(fileStorage(folder)).forEachEntry((entry) => {
    const cause = causeOf(entry);
    const began = performance.now();
    const difference = replay.replayEntry(entry);
    const ms = performance.now() - began;
    if (difference !== null) throw new Error(`journal-replay: a difference at entry ${difference.seq}`);
    if (cause === null) return;
    costs[cause].count += 1;
    costs[cause].ms += ms;
  });
  return costs;
}

async function replayOf(folder: string): Promise<SessionReplay> {
  const reader = new TapeReader(fileStorage(folder));
  reader.borrowedEntries().next();
  const manifest = must(reader.header?.manifest, 'the manifest of the journal');
  const strategies = await recordedStrategies(manifest, folder, {});
  return new SessionReplay({ ...setupFromManifest(manifest, folder), strategies });
}

function readingMs(folder: string, visit: (entry: Entry) => void): number {
  const began = performance.now();
  new TapeReader(fileStorage(folder)).forEachEntry(visit);
  return performance.now() - began;
}

/** Parses an input as JSON, and nothing else. */
function parseInput({ kind, payload }: Entry): void {
  if (kind === 'frame' || kind === 'answer' || kind === 'event') JSON.parse(payload.toString());
}

async function replayByCommand(folder: string): Promise<number> {
  const began = performance.now();
  const { code, stderr } = await presage('journal', 'replay', folder);
  if (code !== 0) throw new Error(`journal-replay: the replay failed: ${stderr}`);
  return performance.now() - began;
}

export const journalReplay: Scenario = {
  name: 'journal-replay',
  what: 'half a busy hour of journal: replayed by the command, its cost by cause, and JSON.parse of its inputs',
  run: () =>
    inFolder(async (data): Promise<Figures> => {
      const folder = join(data, 'journal');
      await recordDay({ ...SESSION, folder });
      const wholeMs = await replayByCommand(folder);
      const readMs = readingMs(folder, () => undefined);
      const parsedMs = readingMs(folder, parseInput);
      const costs = await replayCosts(folder);
      const inputs = costs.feed.count + costs.account.count + costs.answer.count + costs.timer.count;
      return {
        inputsPerSecond: (inputs * 1000) / wholeMs,
        parsedPerSecond: (inputs * 1000) / parsedMs,
        inParsings: wholeMs / parsedMs,
        readMicros: (readMs * 1000) / inputs,
        ...Object.fromEntries(CAUSES.map((cause) => [`${cause}Micros`, (costs[cause].ms * 1000) / costs[cause].count])),
        ...Object.fromEntries(CAUSES.map((cause) => [`${cause}Ms`, costs[cause].ms])),
      };
    }),
};
