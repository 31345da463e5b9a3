// The journal of one live session: opened in the bot's data folder, or where a recording was asked for, or both; told about
// in the log, and what the sessions before left in it. Must never be gone on with when it is damaged.
import { join } from 'node:path';
import type { BotConfig } from '../../config/bot-config.ts';
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
import type { TapeNotice } from '../../tape/journal/tape-recovery.ts';
import { type JournalOptions, JournalWriter } from '../../tape/journal/journal-writer.ts';
import { systemScheduler } from '../../transport/scheduler.ts';
import type { Normalizer } from '../../venue.ts';
import { tradeApiReplayParts } from '../../venues/trade-api/trade-api-venue.ts';
import { closeEach } from '../close-each.ts';
import { type OpenedVenue, knownProfile } from '../venue/open-venue.ts';
import { refuseOtherVenue } from './recording-folder.ts';
import { version } from '../package-version.ts';
import { UsageError } from '../usage-error.ts';

/** A session's journal. */
export interface SessionJournal {
  readonly journal: Journal;
  /** Where it is kept for the sessions after; `null` when the config names no data folder. */
  readonly folder: string | null;
  /** Where it was asked for as a recording; `null` when it was not. */
  readonly recording: string | null;
  /** What the sessions before left to be found out. */
  readonly unresolved: UnresolvedState;
  /** Ends it; whether its last lines could be written. */
  close(reason: string): Promise<boolean>;
}

export interface SessionJournalOptions {
  readonly config: BotConfig;
  readonly opened: OpenedVenue;
  readonly log: Logger;
  /** Writes the session down in this folder too. */
  readonly record?: string;
}

/** Whatever was sent longer ago than this, no longer arrives. */
const LOOK_BACK_MICROS = 600_000_000;

/**
 * Opens the journal; `null` when the config names no data folder, as it may when nothing trades, and no recording is
 * asked for.
 * @throws {UsageError} when the journal that is there is damaged.
 * @throws {StorageFault} when the folder is another bot's, or cannot be read or written.
 * @throws {StrategyFileError} when a strategy's file cannot be read.
 */
export async function openSessionJournal(options: SessionJournalOptions): Promise<SessionJournal | null> {
  const { config, record } = options;
  const own = config.dataFolder === undefined ? null : await openOwn(options, join(config.dataFolder, JOURNAL_FOLDER));
  try {
    const asked = record === undefined ? null : await openAsked(options, record);
    if (own === null && asked === null) return null;
    const journals = [own?.journal ?? null, asked].filter((journal) => journal !== null);
    return {
      journal: own && asked ? new BothJournals(own.journal, asked) : must(journals[0], 'a journal'),
      folder: own?.journal.place ?? null,
      recording: asked?.place ?? null,
      unresolved: own?.remains ?? NOTHING_UNRESOLVED,
      close: async (reason) =>
        (await Promise.all(journals.map((journal) => closeJournal(journal, reason, options.log)))).every(Boolean),
    };
  } catch (fault) {
    // Nothing has been begun: the folder is given back as it was.
    await own?.journal.close('not begun');
    throw fault;
  }
}

/** The journal that the sessions after this one look into. */
async function openOwn(
  options: SessionJournalOptions,
  folder: string,
): Promise<{ readonly journal: JournalWriter; readonly remains: UnresolvedState }> {
  const { config, opened, log } = options;
  const manifest = await manifestOf({ config, ...opened, version, folder });
  const { keepMegabytes, keepFor, sync } = config.journal;
  const keep = { bytesMax: keepMegabytes * 1_000_000, ...(keepFor !== undefined && { ageMax: keepFor }) };
  return explainingDamage(folder, () => {
    const journal = openTapeIn({ folder, manifest, log, sync, keep });
    const remains = remainsIn(options, folder);
    log.info({ folder, hash: manifest.hash, ...remains }, 'the journal is open');
    return { journal, remains };
  });
}

/** The same session written down where it was asked for: all of it is kept. */
async function openAsked({ config, opened, log }: SessionJournalOptions, folder: string): Promise<JournalWriter> {
  const manifest = await manifestOf({ config, ...opened, version, folder });
  return explainingDamage(folder, () => {
    refuseOtherVenue(folder, manifest.profile);
    return openTapeIn({ folder, manifest, log });
  });
}

type TapeIn = Pick<JournalOptions, 'manifest' | 'of' | 'sync' | 'keep'> & {
  readonly folder: string;
  readonly log: Logger;
};

/**
 * Opens a tape in a folder, to be written.
 * @throws {TapeFault} when the tape that is there is damaged.
 * @throws {StorageFault} when the folder is another process's, or cannot be read or written.
 */
export function openTapeIn({ folder, log, ...options }: TapeIn): JournalWriter {
  const tell = (note: TapeNotice): void => tellNote(log, note);
  return new JournalWriter({ ...options, storage: fileStorage(folder), timers: systemScheduler, onNotice: tell });
}

/**
 * Tells a user of a damaged tape.
 * @throws {UsageError} in place of a fault of the tape.
 */
export function explainingDamage<T>(folder: string, open: () => T): T {
  try {
    return open();
  } catch (fault) {
    if (!(fault instanceof TapeFault)) throw fault;
    const remedy = `\`presage journal verify ${folder}\` tells more; moved elsewhere, a new one is begun`;
    throw new UsageError(`the journal in ${folder} is damaged: ${fault.message}; ${remedy}`, { cause: fault });
  }
}

/** Closes a journal; whether it could be closed. The end of the session is printed either way. */
export function closeJournal(journal: JournalWriter, reason: string, log: Logger): Promise<boolean> {
  return closeEach([['the journal', () => journal.close(reason)]], log);
}

/** What an exchange inside this process knew died with it. */
function remainsIn({ config, opened }: SessionJournalOptions, folder: string): UnresolvedState {
  if (opened.ledger !== null) return NOTHING_UNRESOLVED;
  const profile = knownProfile(config.venue.profile);
  const makeNormalizer = (): Normalizer => tradeApiReplayParts({ profile, tickers: new TickerTable() }).normalizer;
  const since = micros(Math.max(0, opened.clock.now() - LOOK_BACK_MICROS));
  return readUnresolved(fileStorage(folder), makeNormalizer, since);
}

function tellNote(log: Logger, note: TapeNotice): void {
  const isTrouble = note.type === 'not-packed' || note.type === 'not-removed';
  if (isTrouble) log.error(note, 'the journal: a closed file stays as it was');
  else if (note.type === 'cut') log.warn(note, 'the journal: a line torn by a crash was cut');
  else if (note.type === 'removed') log.warn(note, 'the journal: the oldest file was removed, as configured');
  else log.debug(note, 'the journal: a closed file was packed');
}
