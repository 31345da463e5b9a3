// Shows a recording: a line with its figures while it runs, and a summary at the end.
import { countedNoun } from '../../report/text/figure-text.ts';
import {
  type RecordingDisplay,
  type RecordingFigures,
  type RecordingResult,
  isEmptyRecording,
} from '../../app/session/recording-run.ts';
import type { SessionEnd } from '../../runtime/session/live-session.ts';
import { boundedWrite } from '../output/bounded-output.ts';
import { bytesText, clockText } from '../output/text-format.ts';

interface Output {
  write(text: string): unknown;
  readonly writableLength: number;
  readonly isTTY?: boolean;
}

interface RecordDisplayOptions {
  readonly isJson: boolean;
  readonly output: Output;
  readonly readFigures: () => RecordingFigures;
}

/** Updates for each line when the output is not a terminal. */
const UPDATES_PER_LINE = 10;

/** Shows the figures. On a terminal, one line changes in place. */
export class RecordDisplay implements RecordingDisplay {
  readonly #options: RecordDisplayOptions;
  readonly #write: (text: string) => void;
  #before: RecordingFigures | null = null;
  #updates = 0;

  constructor(options: RecordDisplayOptions) {
    this.#options = options;
    this.#write = boundedWrite(options.output, () => '');
  }

  showFigures(): void {
    const { isJson, readFigures, output } = this.#options;
    const now = readFigures();
    const rate = rateOf(this.#before, now);
    this.#before = now;
    this.#updates += 1;
    if (isJson) return this.#write(`${JSON.stringify({ type: 'progress', ...now, framesPerSecond: rate })}\n`);
    if (output.isTTY === true) return this.#write(`\r\u001b[K${progressText(now, rate)}`);
    if (this.#updates % UPDATES_PER_LINE === 0) this.#write(`${progressText(now, rate)}\n`);
  }

  close(): void {
    const { isJson, output } = this.#options;
    if (!isJson && output.isTTY === true && this.#updates > 0) this.#write('\r\u001b[K');
  }
}

function rateOf(before: RecordingFigures | null, now: RecordingFigures): number {
  const frames = now.frames - (before?.frames ?? 0);
  const elapsedMs = now.elapsedMs - (before?.elapsedMs ?? 0);
  return elapsedMs <= 0 ? 0 : Math.round((frames * 1000) / elapsedMs);
}

function progressText(figures: RecordingFigures, rate: number): string {
  const { elapsedMs, frames, markets, liveBooks, bytes, isFeedUp } = figures;
  const books = liveBooks === markets ? `${markets} markets` : `${markets} markets, ${liveBooks} books known`;
  const feed = isFeedUp ? '' : '  THE FEED IS DOWN';
  return `${clockText(elapsedMs)}  ${frames} frames, ${rate}/s  ${books}  ${bytesText(bytes)}  ${gapsText(figures)}${feed}`;
}

const gapsText = ({ feedLosses, bookGaps }: RecordingFigures): string =>
  feedLosses + bookGaps === 0 ? 'no gaps' : `gaps: connection lost ${feedLosses}×, books lost ${bookGaps}×`;

/** Renders the summary at the end. */
export function recordEndingText(
  { figures, end, place, logFile }: Omit<RecordingResult, 'isWritten'>,
  isJson: boolean,
): string {
  const ended = end.type === 'fault' ? { type: end.type, fault: String(end.fault) } : end;
  if (isJson) return `${JSON.stringify({ type: 'end', end: ended, recording: place, ...figures })}\n`;
  const { frames, answers, markets, files, bytes, keptOut } = figures;
  return `${[
    headText({ figures, end, logFile }),
    `${frames} frames and ${answers} answers of ${markets} markets, ${gapsText(figures)}`,
    ...(keptOut === 0 ? [] : [`${keptOut} messages of the account itself were kept out`]),
    `${place}: ${bytesText(bytes)} in ${countedNoun(files, 'file')}`,
  ].join('\n')}\n`;
}

function headText({ figures, end, logFile }: Pick<RecordingResult, 'figures' | 'end' | 'logFile'>): string {
  const length = clockText(figures.elapsedMs);
  if (!isEmptyRecording(figures) || end.type === 'fault') return `recorded ${length}, ${endText(end)}`;
  const answered = figures.markets === 0 ? 'the venue has none of these markets' : 'its feed sent nothing';
  const why = figures.answers === 0 ? 'the venue did not answer' : answered;
  return `NOTHING WAS RECORDED in ${length}: ${end.type === 'refused' ? end.reason : why}; the log is ${logFile}`;
}

function endText(end: SessionEnd): string {
  switch (end.type) {
    case 'stopped':
      return 'ended whole';
    case 'timed-out':
      return 'ended, but the connection was not closed in time';
    case 'refused':
      return `but it COULD NOT BEGIN: ${end.reason}`;
    case 'fault':
      return `ended by a FAULT: ${String(end.fault)}`;
  }
}
