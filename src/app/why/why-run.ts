// Why questions about a bot's journal or a backtest's run: opens the sources, and reads times. Must never print.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { version } from '../package-version.ts';
import { readBotConfig } from '../../config/bot-config.ts';
import { exactMoment } from '../../domain/parsed-time.ts';
import { segmentsOf } from '../../tape/format/segment-files.ts';
import { JOURNAL_FOLDER } from '../../runtime/saved/data-folder.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { sessionHeaders } from '../../tape/journal/session-headers.ts';
import type { Storage } from '../../tape/journal/storage.ts';
import { answersFrom, type WhyQuestion } from '../../why/answer-why.ts';
import { RunFacts } from '../../why/run-facts.ts';
import type { WhyAnswer } from '../../why/why-answer.ts';
import { WhyFault } from '../../why/why-fault.ts';
import type { WhySource } from '../../why/why-source.ts';
import {
  type OpenBacktestOptions,
  type OpenedBacktest,
  type RunHooks,
  openBacktest,
  runOnce,
} from '../backtest/backtest-runs.ts';
import { paperHint } from '../session/paper-folder.ts';
import { type RecordedStrategiesOptions, recordedStrategies } from '../strategy/recorded-strategies.ts';
import { UsageError } from '../usage-error.ts';

const INDEX_FOLDER = 'why';

/** The bot that a question is about. */
export interface WhyPlace extends RecordedStrategiesOptions {
  readonly config?: string | undefined;
  /** The bot's data folder. @default the config's. */
  readonly data?: string | undefined;
}

/**
 * Opens the journal of a bot.
 * @throws {ConfigError} when the config cannot be used.
 * @throws {UsageError} when there is no data folder, or no journal in it.
 */
export function openWhySource({ config, data, ...strategies }: WhyPlace): WhySource {
  const dataFolder = data ?? dataFolderOf(config);
  const folder = resolve(dataFolder, JOURNAL_FOLDER);
  const journal = writtenJournal(dataFolder);
  if (journal === null)
    throw new UsageError(
      `${dataFolder}: expected a data folder with a journal, found no file named like 00000001.tape in ${folder}${paperHint(dataFolder)}`,
    );
  return {
    journal,
    // An index of changed strategies would later be used for the recorded strategies.
    indexFolder: strategies.allowChanged ? null : join(resolve(dataFolder), INDEX_FOLDER),
    version,
    strategies: (manifest) => recordedStrategies(manifest, folder, strategies),
  };
}

/** The journal of a data folder; `null` when no session has begun one yet. */
export function writtenJournal(dataFolder: string): Storage | null {
  const folder = resolve(dataFolder, JOURNAL_FOLDER);
  const journal = existsSync(folder) ? fileStorage(folder) : null;
  return journal !== null && segmentsOf(journal).length > 0 ? journal : null;
}

function dataFolderOf(config: string | undefined): string {
  if (config === undefined) throw new UsageError('expected --config, --data or --backtest, found none of them');
  const { dataFolder } = readBotConfig(config);
  if (dataFolder !== undefined) return dataFolder;
  throw new UsageError(`${config}: expected dataFolder, where a bot's journal is kept, found none`);
}

/** The moments to which a text of a time may refer. */
export interface TimeContext {
  /** A moment of the day to which a time of day belongs, microseconds. */
  readonly dayUs: number;
  readonly nowUs: number;
}

/** Returns a moment of the day on which the session began. Without a matching session, the last session counts. */
export function whyDay({ journal }: WhySource, session: string | undefined): number | null {
  const headers = sessionHeaders(journal);
  return (headers.find((header) => header.session === session) ?? headers.at(-1))?.from ?? null;
}

const DAY = 86_400_000_000;
const UNITS: Readonly<Record<string, number>> = { s: 1e6, m: 60e6, h: 3600e6, d: DAY };

/**
 * Reads a time: `2026-11-21T07:45:00Z`, `14:02:10` (UTC, on the session's day), or `-5m` (five minutes ago).
 * @returns microseconds.
 * @throws {UsageError} for any other text.
 */
export function whyTime(text: string, { dayUs, nowUs }: TimeContext): number {
  const ago = /^-(\d{1,6})([smhd])$/.exec(text);
  if (ago) return nowUs - Number(ago[1]) * (UNITS[ago[2] ?? 's'] ?? 0);
  const clock = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,6}))?)?$/.exec(text);
  if (clock) {
    const [, hours, minutes, seconds = '0', part = ''] = clock;
    const ofDay = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1e6 + Number(part.padEnd(6, '0'));
    return Math.floor(dayUs / DAY) * DAY + ofDay;
  }
  const moment = exactMoment(text);
  if (moment !== null) return moment;
  throw new UsageError(
    `--at: expected a moment such as 2026-11-21T07:45:00Z, a time of the session's day such as 14:02:10, or a time ago such as -5m, found ${JSON.stringify(text)}`,
  );
}

/** A question about a run of a backtest. */
export interface BacktestWhyOptions extends Pick<OpenBacktestOptions, 'file' | 'openTape'> {
  /** The question. Its time may be a text that refers to the first day of the run. */
  readonly question: Omit<WhyQuestion, 'atUs'> & { readonly at: string };
  /** Microseconds since 1970. */
  readonly nowUs: number;
  readonly onProgress?: RunHooks['onProgress'];
  /** Ends the run: the answer then fails with a `WhyFault`. */
  readonly signal?: AbortSignal;
}

/** The run goes on for this time after the moment, to show what came next. Microseconds. */
const AFTER = 61 * 60_000_000;

/**
 * Repeats a backtest until about an hour past a moment, and answers from the run.
 * @throws {UsageError} when the backtest cannot run, or has nothing at that time.
 * @throws {WhyFault} when the backtest has no such strategy, or the signal ended the run.
 */
export async function answerBacktestWhy(options: BacktestWhyOptions): Promise<readonly WhyAnswer[]> {
  const startedAt = performance.now();
  const backtest = openBacktest(options);
  try {
    const { config, source } = backtest;
    const { from, to } = source.facts;
    const { question, nowUs } = options;
    const atUs = whyTime(question.at, { dayUs: Math.max(from, config.from ?? from), nowUs });
    const run = await recordedRun(backtest, options, atUs + AFTER);
    const facts = run.store.sessionFacts();
    if (facts === null || atUs < facts.fromUs || atUs > facts.toUs)
      throw new UsageError(
        `--at: expected a moment of the run, from ${new Date(from / 1000).toISOString()} to ${new Date(to / 1000).toISOString()}, found ${question.at}`,
      );
    return answersFrom(run.store, { ...question, atUs }, startedAt);
  } finally {
    backtest.close();
  }
}

async function recordedRun(
  backtest: OpenedBacktest,
  { file, signal, onProgress }: BacktestWhyOptions,
  toUs: number,
): Promise<RunFacts> {
  const passed = new AbortController();
  const run = new RunFacts({ session: file, version, toUs, onPassed: () => passed.abort() });
  const ended = AbortSignal.any([passed.signal, ...(signal ? [signal] : [])]);
  await runOnce(backtest, { signal: ended, ...(onProgress && { onProgress }), ...run.hooks });
  if (signal?.aborted) throw new WhyFault('the run was stopped before it reached the moment');
  run.finishRun();
  return run;
}
