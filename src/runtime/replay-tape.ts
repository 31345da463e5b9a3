// Replays a whole journal, session by session.
// Must never let a session pass as the same that it could not replay: what was left out is said, and why.
import type { Micros } from '../domain/units.ts';
import type { Engine } from '../engine.ts';
import type { Notice } from '../execution/notice.ts';
import type { BoundStrategy } from '../strategy/strategy.ts';
import { type Manifest, type SegmentHeader, readHeader } from '../tape/header.ts';
import type { Entry } from '../tape/line.ts';
import { TapeReader, type TornTail } from '../tape/reader.ts';
import type { Storage } from '../tape/storage.ts';
import { remake } from './manifest.ts';
import { type Difference, SessionReplay } from './replay.ts';

/** What came of one session. */
export interface ReplayedSession {
  readonly session: string;
  readonly from: Micros;
  /** Inputs that were fed, and commands that were the same. */
  readonly inputs: number;
  readonly commands: number;
  readonly difference: Difference | null;
  /** A fault that ended it, then and now; `null` when none did. */
  readonly fault: string | null;
  /** Why it was not replayed; `null` when it was. */
  readonly leftOut: string | null;
}

export interface ReplayReport {
  readonly sessions: readonly ReplayedSession[];
  readonly torn: TornTail | null;
}

export interface ReplayOptions {
  readonly storage: Storage;
  /** Makes a session's strategies anew. */
  readonly strategies: (manifest: Manifest) => Promise<readonly BoundStrategy[]>;
  /** Only this session. */
  readonly session?: string;
  /** Sees what the replayed engine tells, with the engine as it is then. */
  readonly observe?: (notice: Notice, engine: Engine) => void;
  /** Told of the time of each event just before the replayed engine is given it. */
  readonly passing?: (at: Micros, engine: Engine) => void;
}

/** A session being replayed. */
interface Running {
  readonly session: string;
  readonly from: Micros;
  /** `null` when it is not replayed. */
  readonly replay: SessionReplay | null;
  readonly leftOut: string | null;
  difference: Difference | null;
}

/**
 * Replays every session of a tape.
 * @throws {TapeFault} at the first entry that cannot be believed.
 * @throws {ManifestFault} when a session cannot be put together again; whatever `strategies` throws.
 */
export async function replayTape(options: ReplayOptions): Promise<ReplayReport> {
  const reader = new TapeReader(options.storage);
  const sessions: ReplayedSession[] = [];
  let running: Running | null = null;
  for (const entry of reader.entries()) {
    const header = headerOf(entry);
    if (header && header.session !== running?.session) {
      if (running) sessions.push(resultOf(running));
      running = await begin(header, entry, options);
    }
    if (running?.replay && !running.difference) running.difference = running.replay.take(entry);
  }
  if (running) sessions.push(resultOf(running));
  const isWanted = ({ session }: ReplayedSession): boolean => session === (options.session ?? session);
  return { sessions: sessions.filter(isWanted), torn: reader.torn };
}

function headerOf(entry: Entry): SegmentHeader | null {
  const header = entry.kind === 'segment' ? readHeader(entry.payload) : null;
  return typeof header === 'string' ? null : header;
}

async function begin(header: SegmentHeader, { at: from }: Entry, options: ReplayOptions): Promise<Running> {
  const { session, of, manifest } = header;
  const leaveOut = (leftOut: string): Running => ({ session, from, replay: null, leftOut, difference: null });
  if (session !== (options.session ?? session)) return leaveOut('not asked for');
  if (of === 'recording') return leaveOut('a recording has no commands');
  if (!manifest) return leaveOut('its beginning is no longer kept');
  const parts = remake(manifest, options.storage.place);
  const strategies = await options.strategies(manifest);
  const observe = (notice: Notice): void => options.observe?.(notice, replay.engine);
  const passing = (now: Micros): void => options.passing?.(now, replay.engine);
  const replay: SessionReplay = new SessionReplay({ ...parts, strategies, observe, passing });
  return { session, from, replay, leftOut: null, difference: null };
}

function resultOf({ session, from, replay, leftOut, difference }: Running): ReplayedSession {
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
