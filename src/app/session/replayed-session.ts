// The record of a past session, made by a replay of its journal. Must never record a replay that differs from the
// session.
import type { Micros } from '../../domain/units.ts';
import type { Engine } from '../../engine.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import type { RunFacts, RunRecord } from '../../report/record/run-record.ts';
import { RunRecorder } from '../../report/record/run-recorder.ts';
import { type ReplayedSession, replayTape } from '../../runtime/replay/tape-replay.ts';
import type { Manifest } from '../../tape/format/segment-header.ts';
import type { Storage } from '../../tape/journal/storage.ts';
import { verifyTape } from '../../tape/tools/verify-tape.ts';
import { type RecordedStrategiesOptions, recordedStrategies } from '../strategy/recorded-strategies.ts';
import { strategyFacts } from '../strategy/strategy-facts.ts';
import { UsageError } from '../usage-error.ts';
import { type WatchedMarket, WatchedMarkets } from './watched-markets.ts';

/** Options of a replay. */
export interface ReplayedSessionOptions extends RecordedStrategiesOptions {
  /** @default the last session of the journal. */
  readonly session?: string | undefined;
  readonly folder: string;
  /** Maximum number of trades and of orders recorded one by one. @default the recorder's */
  readonly rowsMax?: number;
}

/** A replayed session. */
export interface ReplayedRun {
  readonly record: RunRecord;
  /** The markets whose books it had. The record has those in which it ordered, held a position or made a forecast. */
  readonly watched: readonly WatchedMarket[];
}

/**
 * Replays a session and records it.
 * @throws {UsageError} when the session is unknown, cannot be replayed, or replays differently.
 */
export async function replayedRun(storage: Storage, options: ReplayedSessionOptions): Promise<ReplayedRun> {
  const session = options.session ?? verifyTape(storage).sessions.at(-1)?.session;
  if (session === undefined) throw new UsageError(`${options.folder}: expected a session, found none`);
  const recorder = new ReplayRecorder(options.rowsMax);
  const { sessions } = await replayTape({
    storage,
    session,
    strategies: (manifest) => {
      recorder.setManifest(manifest);
      return recordedStrategies(manifest, options.folder, options);
    },
    observe: (notice, engine) => recorder.onNotice(notice, engine),
    beforeEvent: (at, engine) => recorder.beforeEvent(at, engine),
  });
  const [replayed] = sessions;
  if (!replayed)
    throw new UsageError(`${options.folder}: expected one of its sessions, found ${JSON.stringify(session)}`);
  refuseDifferent(replayed);
  const run = recorder.run();
  if (run === null) throw new UsageError(`session ${session}: expected at least one input, found none`);
  return run;
}

class ReplayRecorder {
  #recorder: RunRecorder | null = null;
  #engine: Engine | null = null;
  readonly #watched = new WatchedMarkets();
  #manifest: Manifest | null = null;
  #eventCount = 0;
  #now: number = 0;
  readonly #rowsMax: number | undefined;

  constructor(rowsMax: number | undefined) {
    this.#rowsMax = rowsMax;
  }

  setManifest(manifest: Manifest): void {
    this.#manifest = manifest;
  }

  beforeEvent(at: Micros, engine: Engine): void {
    const recorder = (this.#recorder ??= new RunRecorder({
      engine,
      ...(this.#rowsMax !== undefined && { rowsMax: this.#rowsMax }),
    }));
    if (at >= recorder.dueAt) recorder.onTimePassed(at);
    this.#eventCount += 1;
    this.#now = Math.max(this.#now, at);
  }

  onNotice(notice: Notice, engine: Engine): void {
    this.#engine = engine;
    this.#recorder?.onNotice(notice);
    this.#watched.trackMarket(notice, engine.state);
  }

  run(): ReplayedRun | null {
    if (this.#recorder === null || this.#manifest === null) return null;
    const record = this.#recorder.runRecord(this.#facts(this.#manifest));
    return { record, watched: this.#engine === null ? [] : this.#watched.listAt(this.#engine.state) };
  }

  #facts({ isPaper, strategies }: Manifest): RunFacts {
    return {
      kind: isPaper ? 'paper' : 'live',
      ...strategyFacts(strategies),
      to: this.#now,
      isPartial: false,
      seed: 0,
      decisionHash: '',
      models: {},
      coverage: null,
      events: this.#eventCount,
    };
  }
}

/** @throws {UsageError} when the session could not be replayed, or its replay differs. */
function refuseDifferent({ session, leftOut, difference }: ReplayedSession): void {
  if (leftOut !== null) throw new UsageError(`session ${session} cannot be replayed: ${leftOut}`);
  if (difference !== null)
    throw new UsageError(
      `session ${session}: its replay differs at entry ${difference.seq}: \`presage journal replay\` shows how`,
    );
}
