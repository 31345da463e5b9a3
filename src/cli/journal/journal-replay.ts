// `presage journal replay`: replays sessions and prints the first difference of each.
import { recordedStrategies, type RecordedStrategiesOptions } from '../../app/strategy/recorded-strategies.ts';
import { UsageError } from '../../app/usage-error.ts';
import { type ReplayedSession, replayTape } from '../../runtime/replay/tape-replay.ts';
import { isoMicros } from '../../tape/format/iso-time.ts';
import type { Storage } from '../../tape/journal/storage.ts';
import { ExitCode } from '../output/exit-code.ts';
import { printLines } from '../output/print-lines.ts';

/** Options of the command line. */
export interface JournalReplayOptions extends RecordedStrategiesOptions {
  readonly folder: string;
  readonly session?: string;
  readonly json?: true;
}

/**
 * Replays a journal and prints the result. Returns the exit code.
 * @throws {UsageError} when the journal has no session, or not the one asked for.
 */
export async function replayJournal(storage: Storage, options: JournalReplayOptions): Promise<number> {
  const { folder, session, json } = options;
  const report = await replayTape({
    storage,
    strategies: (manifest) => recordedStrategies(manifest, folder, options),
    ...(session !== undefined && { session }),
  });
  if (report.sessions.length === 0)
    throw new UsageError(
      session === undefined
        ? `${folder}: expected a session, found none`
        : `--session: expected one of the journal’s, found ${JSON.stringify(session)}`,
    );
  printLines(json ? [JSON.stringify(report)] : report.sessions.flatMap(renderReplay));
  return report.sessions.some(({ difference }) => difference !== null) ? ExitCode.session : ExitCode.ok;
}

function renderReplay({ session, from, inputs, commands, difference, fault, leftOut }: ReplayedSession): string[] {
  const name = `session ${session} of ${isoMicros(from)}`;
  if (leftOut !== null) return [`${name}: not replayed: ${leftOut}`];
  const same = `${inputs} inputs, ${commands} commands the same`;
  if (difference === null) return [`${name}: ${same}${fault === null ? '' : `; ended by the same fault: ${fault}`}`];
  const { seq, at, file, line, input, expected, got } = difference;
  return [
    `${name}: ${same}, then it DIFFERS`,
    `  entry ${seq} (${file}, line ${line}) at ${isoMicros(at)}`,
    `  after    ${input === null ? 'nothing' : `entry ${input.seq}: ${input.kind} ${input.text}`}`,
    `  expected ${expected ?? 'no commands'}`,
    `  got      ${got ?? 'no commands'}`,
  ];
}
