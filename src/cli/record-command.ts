// `presage record`: the public side of a venue on a tape: raw frames and answers, with the time they came.
// Must never place an order, and must never write down what is the account's own: see `runtime/session/public-recorder.ts`.
import { Command } from '@commander-js/extra-typings';
import { type BotConfig, readBotConfig } from '../config/bot-config.ts';
import type { Micros } from '../domain/units.ts';
import type { Notice } from '../execution/engine-notice.ts';
import { type Logger, openLog } from '../log.ts';
import { type SessionEnd, LiveSession } from '../runtime/session/live-session.ts';
import { manifestOf } from '../runtime/replay/session-manifest.ts';
import { PublicRecorder } from '../runtime/session/public-recorder.ts';
import { fileStorage } from '../tape/journal/file-storage.ts';
import { segmentsOf } from '../tape/format/segment-files.ts';
import type { Storage } from '../tape/journal/storage.ts';
import type { JournalWriter } from '../tape/journal/journal-writer.ts';
import { publicPartFilter } from '../venues/trade-api/feed/public-frame.ts';
import { durationArgument, namesArgument } from './arguments/argument-parsers.ts';
import { ExitCode } from './output/exit-code.ts';
import { type OpenedVenue, knownProfile, openVenue } from '../app/venue/open-venue.ts';
import { type RecordingFigures, RecordDisplay, recordEndingText, isEmpty } from './show/record-display.ts';
import { recordingFolder, refuseOtherVenue } from '../app/session/recording-folder.ts';
import { explainingDamage, closeJournal, openTapeIn } from '../app/session/session-journal.ts';
import { runUntilStopped } from '../app/session/until-stopped.ts';
import { version } from '../app/package-version.ts';
import { rawStream } from './output/terminal-escapes.ts';

/** Options of the command line. */
interface RecordOptions {
  readonly config: string;
  readonly for?: number;
  readonly out?: string;
  readonly markets?: readonly string[];
  readonly events?: readonly string[];
  readonly series?: readonly string[];
  readonly json?: true;
}

/** The command. */
export function recordCommand() {
  return new Command('record')
    .description('Record a venue’s public data: every frame and answer as received, with the time it came. No orders.')
    .requiredOption('--config <file>', 'a bot’s config: its venue and markets are taken, its strategies are not run')
    .option('--for <duration>', 'end after so long, such as 30s or 2h', durationArgument)
    .option('--out <folder>', 'where to; what is there is gone on with. Else recordings/<date and time>')
    .option('--markets <tickers>', 'these markets, with commas between, in place of the config’s', namesArgument)
    .option('--events <tickers>', 'every market of these event groups, likewise', namesArgument)
    .option('--series <tickers>', 'every market of these series, also those that appear later, likewise', namesArgument)
    .option('--json', 'print JSON lines: progress each second, and a summary at the end')
    .addHelpText(
      'after',
      `
A key is used only where the venue wants one for public data; nothing of the account is asked for or written down.
Ctrl-C (or SIGTERM) ends the recording whole. After a crash it can be read, but for a line torn at its very end.

Exit code: 0 all well; 1 it ended badly: a full disk, a fault; 2 a config, key or folder is wrong, or the venue refused.

Examples:
  presage record --config config/demo.yaml --for 1m  from the exchange inside
  presage record --config config/local.yaml --out tapes/rain --series RAIN
  presage tape info tapes/rain                       what is on it
  presage tape verify tapes/rain                     whether it is as written`,
    )
    .action(async (options) => {
      process.exitCode = await record(options);
    });
}

/** The config of a session that only watches. */
function watchingConfig(options: RecordOptions): BotConfig {
  const { limits: _none, ...config } = readBotConfig(options.config);
  const { markets, events, series } = options;
  const isAsked = markets !== undefined || events !== undefined || series !== undefined;
  const universe = { tickers: [...(markets ?? [])], events: [...(events ?? [])], series: [...(series ?? [])] };
  return { ...config, strategies: [], ...(isAsked && { markets: { ...config.markets, ...universe } }) };
}

interface Recording {
  readonly options: RecordOptions;
  readonly config: BotConfig;
  readonly log: Logger;
  readonly opened: OpenedVenue;
  readonly tape: JournalWriter;
}

async function record(options: RecordOptions): Promise<number> {
  const config = watchingConfig(options);
  const log = openLog(config.log);
  const opened = await openVenue({ config, log, publicOnly: true });
  try {
    const folder = recordingFolder(options.out ?? true, opened.clock.now()) ?? '';
    const tape = await openRecording(folder, { config, opened, log });
    return await recordOn({ options, config, log, opened, tape });
  } finally {
    await opened.close();
    log.flush();
  }
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

async function recordOn(recording: Recording): Promise<number> {
  const { options, tape, log } = recording;
  const { file: logFile } = recording.config.log;
  let end: SessionEnd | null = null;
  let figures: RecordingFigures | null = null;
  let isWritten = true;
  try {
    ({ end, figures } = await watch(recording));
  } finally {
    isWritten = await closeJournal(tape, end?.type ?? 'fault', log);
  }
  const size = sizeOf(fileStorage(tape.place));
  process.stdout.write(
    recordEndingText({ figures: { ...figures, ...size }, end, place: tape.place, logFile }, options.json ?? false),
  );
  if (end.type === 'refused' || (figures.answers > 0 && figures.markets === 0)) return ExitCode.usage;
  return end.type === 'stopped' && isWritten && !isEmpty(figures) ? ExitCode.ok : ExitCode.session;
}

const SHOW_EVERY_MS = 1000;

async function watch({ options, config, log, opened, tape }: Recording) {
  const { venue, clock } = opened;
  const recorder = new PublicRecorder({ tape, publicPart: publicPartFilter(knownProfile(config.venue.profile).feed) });
  let bookGaps = 0;
  let end = (_why: string): void => undefined;
  const over = new Promise<string>((resolve) => (end = resolve));
  const observe = (notice: Notice): void => {
    if (notice.type === 'trust' && notice.trust === 'suspect' && recorder.counts.isFeedUp) bookGaps += 1;
    if (notice.type === 'phase' && notice.phase === 'trading' && !tellMissing(config, session))
      end('nothing to record');
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
  const look = (): RecordingFigures => ({
    ...figuresOf(session, recorder, startedAt),
    bookGaps,
    ...sizeOf(storage),
  });
  const display = new RecordDisplay({ isJson: options.json ?? false, output: rawStream(process.stdout), look });
  const showing = setInterval(() => display.showFigures(), SHOW_EVERY_MS);
  try {
    const withinMs = Math.ceil(config.orders.stopWithin / 1000);
    const ended = await runUntilStopped(session, { forMs: options.for, withinMs, over });
    return { end: ended, figures: look() };
  } finally {
    clearInterval(showing);
    display.close();
  }
}

/** Tells which of the markets that were asked for the venue does not have; whether any is left to be recorded. */
function tellMissing({ markets: asked }: BotConfig, { engine: { state } }: LiveSession): boolean {
  const all = state.markets.allMarkets();
  const missing = [
    ...asked.tickers.filter((name) => !all.some(({ ticker }) => ticker === name)),
    ...asked.events.filter((name) => !all.some(({ eventTicker }) => eventTicker === name)),
  ];
  if (missing.length > 0) process.stderr.write(`presage: not found at the venue: ${missing.join(', ')}\n`);
  // Of a series markets may still appear.
  return all.length > 0 || asked.series.length > 0;
}

function figuresOf({ clock, engine }: LiveSession, { counts }: PublicRecorder, startedAt: Micros) {
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

function sizeOf(storage: Storage): { readonly files: number; readonly bytes: number } {
  const segments = segmentsOf(storage);
  return { files: segments.length, bytes: segments.reduce((sum, { name }) => sum + sizeNow(storage, name), 0) };
}

/** A file may be packed between being listed and being looked at. */
function sizeNow(storage: Storage, name: string): number {
  try {
    return storage.sizeOf(name);
  } catch {
    return 0;
  }
}
