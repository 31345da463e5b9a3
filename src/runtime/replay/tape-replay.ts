// Replays a whole journal, session by session. Must never report a session as equal when it was not replayed.
import { AssertionFault } from '../../base/assert.ts';
import type { Micros } from '../../domain/units.ts';
import type { Engine } from '../../engine.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import type { BoundStrategy } from '../../strategy/strategy-definition.ts';
import { type Manifest, type SegmentHeader, readHeader } from '../../tape/format/segment-header.ts';
import type { Entry } from '../../tape/format/tape-line.ts';
import { TapeReader, type TornTail } from '../../tape/journal/tape-reader.ts';
import type { Storage } from '../../tape/journal/storage.ts';
import { setupFromManifest } from './session-manifest.ts';
import { type SessionDifference, SessionReplay } from './session-replay.ts';

/** The first difference of a session, with the text of the last input before it. */
export interface ReplayDifference extends Omit<SessionDifference, 'input'> {
  readonly input: { readonly seq: number; readonly kind: string; readonly text: string } | null;
}

/** The result of replaying one session. */
export interface ReplayedSession {
  readonly session: string;
  readonly from: Micros;
  /** Number of inputs replayed. `commands` counts the commands that were equal. */
  readonly inputs: number;
  readonly commands: number;
  readonly difference: ReplayDifference | null;
  /** A fault that ended both the recorded session and its replay, or `null`. */
  readonly fault: string | null;
  /** Reason why the session was not replayed; `null` when it was replayed. */
  readonly leftOut: string | null;
}

export interface ReplayReport {
  readonly sessions: readonly ReplayedSession[];
  readonly torn: TornTail | null;
}

export interface ReplayOptions {
  readonly storage: Storage;
  readonly strategies: (manifest: Manifest) => Promise<readonly BoundStrategy[]>;
  readonly session?: string;
  /** Receives the notices of the replayed engine, with the engine in its state at that time. */
  readonly observe?: (notice: Notice, engine: Engine) => void;
  /** Called with the time of each event, just before the replayed engine handles it. */
  readonly beforeEvent?: (at: Micros, engine: Engine) => void;
}

interface SessionInReplay {
  readonly session: string;
  readonly from: Micros;
  readonly replay: SessionReplay | null;
  readonly leftOut: string | null;
  difference: ReplayDifference | null;
}

/**
 * Replays every session of a tape, or only the session in the options.
 * @throws {TapeFault} at the first damaged entry.
 * @throws {ManifestFault} when a session cannot be set up again. Errors of `strategies` are thrown, too.
 */
export async function replayTape(options: ReplayOptions): Promise<ReplayReport> {
  const reader = new TapeReader(options.storage);
  const sessions: ReplayedSession[] = [];
  let running: SessionInReplay | null = null;
  for await (const run of reader.borrowedRuns())
    for (const entry of run) {
      const header = headerOf(entry);
      const isNext = header !== null && header.session !== running?.session;
      if (isNext && running) sessions.push(resultOf(running));
      if (isNext) running = await beginSession(header, entry, options);
      const found = running?.difference === null ? running.replay?.replayEntry(entry) : null;
      if (running && found) running.difference = withText(found, options.storage);
    }
  if (running) sessions.push(resultOf(running));
  const isWanted = ({ session }: ReplayedSession): boolean => session === (options.session ?? session);
  return { sessions: sessions.filter(isWanted), torn: reader.tornTail };
}

/** Reads the last input again, so that a replay need not copy each input. */
function withText(found: SessionDifference, storage: Storage): ReplayDifference {
  const { input } = found;
  return { ...found, input: input && { ...input, text: textOf(input.seq, storage) } };
}

function textOf(seq: number, storage: Storage): string {
  for (const entry of new TapeReader(storage).borrowedEntries()) if (entry.seq === seq) return entry.payload.toString();
  throw new AssertionFault(`entry ${seq} was read before, and is not there`);
}

function headerOf(entry: Entry): SegmentHeader | null {
  const header = entry.kind === 'segment' ? readHeader(entry.payload) : null;
  return typeof header === 'string' ? null : header;
}

async function beginSession(
  header: SegmentHeader,
  { at: from }: Entry,
  options: ReplayOptions,
): Promise<SessionInReplay> {
  const { session, of, manifest } = header;
  const skip = (leftOut: string): SessionInReplay => ({ session, from, replay: null, leftOut, difference: null });
  if (session !== (options.session ?? session)) return skip('not asked for');
  if (of === 'recording') return skip('a recording has no commands');
  if (!manifest) return skip('its beginning is no longer kept');
  const parts = setupFromManifest(manifest, options.storage.path);
  const strategies = await options.strategies(manifest);
  const observe = (notice: Notice): void => options.observe?.(notice, replay.engine);
  const passing = (now: Micros): void => options.beforeEvent?.(now, replay.engine);
  const replay: SessionReplay = new SessionReplay({ ...parts, strategies, observe, beforeEvent: passing });
  return { session, from, replay, leftOut: null, difference: null };
}

function resultOf({ session, from, replay, leftOut, difference }: SessionInReplay): ReplayedSession {
  const fault = replay?.fault ?? null;
  return {
    session,
    from,
    inputs: replay?.inputs ?? 0,
    commands: replay?.commands ?? 0,
    difference,
    fault:
      fault === null || difference !== null ? null : fault instanceof Error ? fault.message : JSON.stringify(fault),
    leftOut,
  };
}
