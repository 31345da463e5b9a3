// The journal of one live session: in the bot's data folder, in the folder of a recording, or in both. Must never
// continue a damaged journal.
import { join } from 'node:path';
import type { BotConfig } from '../../config/bot-config.ts';
import { manifestSimulation } from '../../config/simulation-config.ts';
import { must } from '../../base/assert.ts';
import { TickerTable } from '../../domain/ids.ts';
import { NOTHING_UNRESOLVED, type UnresolvedState } from '../../domain/operator-order.ts';
import { micros } from '../../domain/units.ts';
import type { Logger } from '../../log.ts';
import { JOURNAL_FOLDER } from '../../runtime/saved/data-folder.ts';
import { manifestOf } from '../../runtime/replay/session-manifest.ts';
import { readUnresolved } from '../../runtime/saved/unresolved-orders.ts';
import { BothJournals } from '../../tape/journal/both-journals.ts';
import { TapeFault } from '../../tape/format/tape-fault.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import type { Journal } from '../../tape/journal/journal-port.ts';
import type { Manifest } from '../../tape/format/segment-header.ts';
import type { TapeNotice } from '../../tape/journal/tape-recovery.ts';
import { type JournalOptions, JournalWriter } from '../../tape/journal/journal-writer.ts';
import { systemScheduler } from '../../transport/scheduler.ts';
import type { Normalizer } from '../../venue.ts';
import { tradeApiReplayParts } from '../../venues/trade-api/replay-parts.ts';
import { closeEach } from '../close-each.ts';
import { knownProfile } from '../venue/known-profile.ts';
import type { OpenedVenue } from '../venue/open-venue.ts';
import { refuseOtherVenue } from './recording-folder.ts';
import { version } from '../package-version.ts';
import { UsageError } from '../usage-error.ts';

/** The open journal of a session. */
export interface SessionJournal {
  readonly journal: Journal;
  /** Folder of the journal that later sessions read. `null` without a data folder. */
  readonly folder: string | null;
  /** Folder of the recording. */
  readonly recording: string | null;
  /** Unresolved orders of earlier sessions, and the time at which the last session died. */
  readonly unresolved: UnresolvedState;
  /** Bytes written by this session so far, before packing. */
  bytesWritten(): number;
  /** Ends the journal. Returns true when its last lines were written. */
  close(reason: string): Promise<boolean>;
}

export interface SessionJournalOptions {
  readonly config: BotConfig;
  readonly opened: OpenedVenue;
  readonly log: Logger;
  readonly record?: string;
  /** SHA-256 of the code that runs, by the strategy's file. */
  readonly codeHashes?: ReadonlyMap<string, string>;
}

/** A request sent longer ago no longer arrives. */
const LOOKBACK_MICROS = 600_000_000;

/**
 * Opens the journal. Returns `null` without a data folder and without a recording.
 * @throws {UsageError} when the existing journal is damaged.
 * @throws {StorageFault} when another bot has locked the folder, or it cannot be read or written.
 * @throws {StrategyFileError} when a strategy's file cannot be read.
 */
export async function openSessionJournal(options: SessionJournalOptions): Promise<SessionJournal | null> {
  const { config, record } = options;
  const own = config.dataFolder === undefined ? null : await openOwn(options, join(config.dataFolder, JOURNAL_FOLDER));
  try {
    const recording = record === undefined ? null : await openRecording(options, record);
    if (own === null && recording === null) return null;
    const journals = [own?.journal ?? null, recording].filter((journal) => journal !== null);
    return {
      journal: own && recording ? new BothJournals(own.journal, recording) : must(journals[0], 'a journal'),
      folder: own?.journal.place ?? null,
      recording: recording?.place ?? null,
      unresolved: own?.unresolved ?? NOTHING_UNRESOLVED,
      bytesWritten: () => journals[0]?.bytesWritten ?? 0,
      close: async (reason) =>
        (await Promise.all(journals.map((journal) => closeJournal(journal, reason, options.log)))).every(Boolean),
    };
  } catch (fault) {
    // Nothing has started, so the journal is closed without an entry.
    await own?.journal.close('not started');
    throw fault;
  }
}

async function openOwn(
  options: SessionJournalOptions,
  folder: string,
): Promise<{ readonly journal: JournalWriter; readonly unresolved: UnresolvedState }> {
  const { config, log } = options;
  const manifest = await sessionManifest(options, folder);
  const { keepMegabytes, keepFor, sync } = config.journal;
  const keep = { bytesMax: keepMegabytes * 1_000_000, ...(keepFor !== undefined && { ageMax: keepFor }) };
  return explainingDamage(folder, () => {
    const journal = openTapeIn({ folder, manifest, log, sync, keep });
    const unresolved = readEarlier(options, folder);
    log.info({ folder, hash: manifest.hash, ...unresolved }, 'the journal is open');
    return { journal, unresolved };
  });
}

function sessionManifest({ config, opened, codeHashes }: SessionJournalOptions, folder: string): Promise<Manifest> {
  const models = opened.isPaper === true ? config.paper?.simulation : undefined;
  const simulation = models === undefined ? undefined : manifestSimulation(models, folder);
  return manifestOf({ config, ...opened, simulation, version, folder, ...(codeHashes && { codeHashes }) });
}

/** A recording keeps every file, unlike the journal. */
async function openRecording(options: SessionJournalOptions, folder: string): Promise<JournalWriter> {
  const { log } = options;
  const manifest = await sessionManifest(options, folder);
  return explainingDamage(folder, () => {
    refuseOtherVenue(folder, manifest.profile);
    return openTapeIn({ folder, manifest, log });
  });
}

type TapeInFolder = Pick<JournalOptions, 'manifest' | 'of' | 'sync' | 'keep'> & {
  readonly folder: string;
  readonly log: Logger;
};

/**
 * Opens the tape of a folder for writing.
 * @throws {TapeFault} when the existing tape is damaged.
 * @throws {StorageFault} when another process has locked the folder, or it cannot be read or written.
 */
export function openTapeIn({ folder, log, ...options }: TapeInFolder): JournalWriter {
  const onNotice = (notice: TapeNotice): void => logNotice(log, notice);
  return new JournalWriter({ ...options, storage: fileStorage(folder), timers: systemScheduler, onNotice });
}

/**
 * Calls `open`, and explains a damaged tape to the user.
 * @throws {UsageError} in place of a TapeFault.
 */
export function explainingDamage<T>(folder: string, open: () => T): T {
  try {
    return open();
  } catch (fault) {
    if (!(fault instanceof TapeFault)) throw fault;
    const remedy = `\`presage journal verify ${folder}\` shows more; move it away to begin a new one`;
    throw new UsageError(`the journal in ${folder} is damaged: ${fault.message}; ${remedy}`, { cause: fault });
  }
}

/**
 * Closes a journal. Returns true when it could be closed. Never rejects: the session's result must be printed in any
 * case.
 */
export function closeJournal(journal: JournalWriter, reason: string, log: Logger): Promise<boolean> {
  return closeEach([['the journal', () => journal.close(reason)]], log);
}

/** Orders at an embedded exchange or a simulated account died with the earlier process. */
function readEarlier({ config, opened }: SessionJournalOptions, folder: string): UnresolvedState {
  if (opened.ledger !== null) return NOTHING_UNRESOLVED;
  const profile = knownProfile(config.venue.profile);
  const makeNormalizer = (): Normalizer => tradeApiReplayParts({ profile, tickers: new TickerTable() }).normalizer;
  const since = micros(Math.max(0, opened.clock.now() - LOOKBACK_MICROS));
  return readUnresolved(fileStorage(folder), makeNormalizer, since);
}

function logNotice(log: Logger, notice: TapeNotice): void {
  const isTrouble = notice.type === 'not-packed' || notice.type === 'not-removed';
  if (isTrouble) log.error(notice, 'the journal: a closed file stays as it was');
  else if (notice.type === 'cut') log.warn(notice, 'the journal: a line torn by a crash was cut');
  else if (notice.type === 'removed') log.warn(notice, 'the journal: the oldest file was removed, as configured');
  else log.debug(notice, 'the journal: a closed file was packed');
}
