// Records the public data of a venue on a tape: raw frames and answers, with their times of arrival. Must never place
// an order, nor record private data of the account.
import { type BotConfig, readBotConfig } from '../../config/bot-config.ts';
import { withConfigLines } from '../../config/yaml.ts';
import type { Micros } from '../../domain/units.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import { type Logger, openLog } from '../../log.ts';
import { manifestOf } from '../../runtime/replay/session-manifest.ts';
import { LiveSession, type SessionEnd } from '../../runtime/session/live-session.ts';
import { PublicRecorder } from '../../runtime/session/public-recorder.ts';
import { segmentsOf } from '../../tape/format/segment-files.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import type { JournalWriter } from '../../tape/journal/journal-writer.ts';
import type { Storage } from '../../tape/journal/storage.ts';
import { publicPartFilter } from '../../venues/trade-api/feed/public-frame.ts';
import { version } from '../package-version.ts';
import { knownProfile } from '../venue/known-profile.ts';
import { type OpenedVenue, openVenue } from '../venue/open-venue.ts';
import { logBeside } from './log-beside.ts';
import { recordingFolder, refuseOtherVenue } from './recording-folder.ts';
import { closeJournal, explainingDamage, openTapeIn } from './session-journal.ts';
import { runUntilStopped } from './until-stopped.ts';

/** Figures of a recording at one moment. */
export interface RecordingFigures {
  readonly elapsedMs: number;
  readonly frames: number;
  readonly answers: number;
  /** Number of inputs left out because they are private. */
  readonly keptOut: number;
  readonly isFeedUp: boolean;
  readonly feedLosses: number;
  /** Number of times that a book became suspect on an open connection. */
  readonly bookGaps: number;
  readonly markets: number;
  readonly liveBooks: number;
  readonly files: number;
  readonly bytes: number;
}

/** Shows a recording in progress. */
export interface RecordingDisplay {
  /** Called once a second. */
  showFigures(): void;
  close(): void;
}

/** Options of a recording. */
export interface RecordingOptions {
  /** The config's file. Its strategies do not run. */
  readonly file: string;
  /** Duration, milliseconds. @default until a signal or a fault. */
  readonly forMs?: number | undefined;
  /**
   * Folder of the tape. An existing tape of the same profile is continued. @default a folder in `recordings/`, named by
   * the time.
   */
  readonly out?: string | undefined;
  /**
   * Markets in place of the config's. The same holds for `events` and `series`: any of the three replaces all of the
   * config's.
   */
  readonly markets?: readonly string[] | undefined;
  readonly events?: readonly string[] | undefined;
  readonly series?: readonly string[] | undefined;
  /** @default no display. */
  readonly makeDisplay?: (readFigures: () => RecordingFigures) => RecordingDisplay;
  /** Called with the requested markets and event groups that the venue lacks. */
  readonly onMissing?: (names: readonly string[]) => void;
  /** Called with the result before the venue is closed. */
  readonly onResult?: (result: RecordingResult) => void;
}

/** The result of a recording. */
export interface RecordingResult {
  readonly figures: RecordingFigures;
  readonly end: SessionEnd;
  readonly place: string;
  readonly logFile: string;
  /** The tape was written to its end. */
  readonly isWritten: boolean;
}

/** The recording holds nothing to replay. */
export const isEmptyRecording = ({ frames, markets }: RecordingFigures): boolean => frames === 0 || markets === 0;

/**
 * Records until a signal, the end of the duration, or a fault.
 * @throws {UsageError} when the folder holds a damaged tape, or a tape of another profile.
 * @throws {ConfigError} when the config cannot be used.
 */
export async function runRecording(options: RecordingOptions): Promise<RecordingResult> {
  const config = publicConfig(options);
  return withConfigLines(options.file, () => recordFrom(options, config));
}

async function recordFrom(options: RecordingOptions, config: BotConfig): Promise<RecordingResult> {
  const log = openLog(config.log);
  const opened = await openVenue({ config, log, publicOnly: true });
  try {
    const folder = recordingFolder(options.out ?? true, opened.clock.now()) ?? '';
    const tape = await openRecording(folder, { config, opened, log });
    return await recordOnTape({ options, config, log, opened, tape });
  } finally {
    await opened.close();
    log.flush();
  }
}

function publicConfig({ file, markets, events, series }: RecordingOptions): BotConfig {
  const { limits: _none, ...config } = readBotConfig(file);
  const isGiven = markets !== undefined || events !== undefined || series !== undefined;
  const universe = { tickers: [...(markets ?? [])], events: [...(events ?? [])], series: [...(series ?? [])] };
  const log = { ...config.log, file: logBeside(config.log.file, 'record') };
  return { ...config, log, strategies: [], ...(isGiven && { markets: { ...config.markets, ...universe } }) };
}

interface Recording {
  readonly options: RecordingOptions;
  readonly config: BotConfig;
  readonly log: Logger;
  readonly opened: OpenedVenue;
  readonly tape: JournalWriter;
}

async function openRecording(
  folder: string,
  { config, opened, log }: Pick<Recording, 'config' | 'opened' | 'log'>,
): Promise<JournalWriter> {
  const manifest = await manifestOf({ config, venue: opened.venue, hasKey: false, version, folder });
  return explainingDamage(folder, () => {
    refuseOtherVenue(folder, manifest.profile);
    return openTapeIn({ folder, manifest, log, of: 'recording' });
  });
}

async function recordOnTape(recording: Recording): Promise<RecordingResult> {
  const { options, tape, log } = recording;
  let ended: Pick<RecordingResult, 'end' | 'figures'> | null = null;
  let isWritten = true;
  try {
    ended = await recordSession(recording);
  } finally {
    isWritten = await closeJournal(tape, ended?.end.type ?? 'fault', log);
  }
  const figures = { ...ended.figures, ...tapeSize(fileStorage(tape.place)) };
  const result = {
    end: ended.end,
    figures,
    place: tape.place,
    logFile: recording.config.log.file,
    isWritten,
  };
  options.onResult?.(result);
  return result;
}

const SHOW_EVERY_MS = 1000;

async function recordSession({ options, config, log, opened, tape }: Recording) {
  const { venue, clock } = opened;
  const recorder = new PublicRecorder({ tape, publicPart: publicPartFilter(knownProfile(config.venue.profile).feed) });
  let bookGaps = 0;
  let stop = (_why: string): void => undefined;
  const stopReason = new Promise<string>((resolve) => (stop = resolve));
  const observe = (notice: Notice): void => {
    if (notice.type === 'trust' && notice.trust === 'suspect' && recorder.counts.isFeedUp) bookGaps += 1;
    if (notice.type === 'phase' && notice.phase === 'trading' && !hasMarkets(session, config, options))
      stop('nothing to record');
  };
  const session = new LiveSession({
    config,
    venue,
    strategies: [],
    hasKey: false,
    log,
    clock,
    observe,
    journal: recorder,
  });
  const startedAt = clock.now();
  const storage = fileStorage(tape.place);
  const readFigures = (): RecordingFigures => ({
    ...sessionFigures(session, recorder, startedAt),
    bookGaps,
    ...tapeSize(storage),
  });
  const display = options.makeDisplay?.(readFigures);
  const showing = setInterval(() => display?.showFigures(), SHOW_EVERY_MS);
  try {
    const withinMs = Math.ceil(config.orders.stopWithin / 1000);
    const end = await runUntilStopped(session, { forMs: options.forMs, withinMs, stopReason });
    return { end, figures: readFigures() };
  } finally {
    clearInterval(showing);
    display?.close();
  }
}

/** Reports the requested names that the venue lacks. Returns true when there is anything to record. */
function hasMarkets(
  { engine: { state } }: LiveSession,
  { markets: { tickers, events, series } }: BotConfig,
  { onMissing }: RecordingOptions,
): boolean {
  const all = state.markets.allMarkets();
  const missing = [
    ...tickers.filter((name) => !all.some(({ ticker }) => ticker === name)),
    ...events.filter((name) => !all.some(({ eventTicker }) => eventTicker === name)),
  ];
  if (missing.length > 0) onMissing?.(missing);
  // Markets of a series may still appear.
  return all.length > 0 || series.length > 0;
}

function sessionFigures({ clock, engine }: LiveSession, { counts }: PublicRecorder, startedAt: Micros) {
  const { markets, books } = engine.state;
  const all = markets.allMarkets();
  return {
    elapsedMs: Math.round((clock.now() - startedAt) / 1000),
    frames: counts.frames,
    answers: counts.answers,
    keptOut: counts.keptOut,
    isFeedUp: counts.isFeedUp,
    feedLosses: counts.feedLosses,
    markets: all.length,
    liveBooks: all.filter(({ index }) => books.isLive(index)).length,
  };
}

function tapeSize(storage: Storage): { readonly files: number; readonly bytes: number } {
  const segments = segmentsOf(storage);
  return { files: segments.length, bytes: segments.reduce((sum, { name }) => sum + fileSize(storage, name), 0) };
}

/** A file may be packed after it was listed. It then counts as 0 bytes. */
function fileSize(storage: Storage, name: string): number {
  try {
    return storage.sizeOf(name);
  } catch {
    return 0;
  }
}
