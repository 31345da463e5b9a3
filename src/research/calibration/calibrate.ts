// Calibrates the simulated venue by sessions: reads them, fits delays and the queue, and says how good the fit is. Must
// never write to a session's folder, beside the baked copy of its tape.
import { openTapeAt } from '../../app/tape-place.ts';
import type { RowSource } from '../../tape/baked/tape-rows.ts';
import { queueModel } from '../../venues/simulated/models/queue-models.ts';
import { cancelSurvival } from './cancel-survival.ts';
import { crossingEvidence, fillsWhenCrossed, summedEvidence } from './crossing-evidence.ts';
import { type FeedModel, TRIPS_MIN, type LatencyFit, fitLatency, tripCount } from './latency-fit.ts';
import { type ProbedSession, probeOrders } from './order-probe.ts';
import { WINDOW_MAX, printGaps, printWindow } from './print-window.ts';
import { type QueueFit, fitQueue, queueCandidates, tooFewOrders } from './queue-fit.ts';
import { type FoundSession, readSessions, refuseOtherVenues } from './read-sessions.ts';
import { simulationBlock } from './simulation-block.ts';
import { spellsOnTape } from './row-times.ts';

/** A stage of the work, with the part of it that is done. */
export interface CalibrationProgress {
  readonly what: string;
  /** From 0 to 1; `null` where the end is not known. */
  readonly share: number | null;
}

export interface CalibrateOptions {
  /**
   * The feed of the block. `drawn` is for tapes that another recorder wrote.
   * @default 'recorded'
   */
  readonly feed?: FeedModel;
  /** @default `openTapeAt`. */
  readonly openTape?: (place: string) => RowSource;
  readonly onProgress?: (progress: CalibrationProgress) => void;
}

/** The fit of a part, or why there is none. */
export type Fitted<Fit> =
  | { readonly fit: Fit; readonly refused: null }
  | { readonly fit: null; readonly refused: string };

/** The result of a calibration. */
export interface Calibration {
  readonly sessions: readonly {
    readonly name: string;
    readonly from: number;
    readonly to: number;
    readonly requests: number;
    readonly resting: number;
  }[];
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  readonly latency: Fitted<LatencyFit>;
  readonly queue: Fitted<QueueFit>;
  /** YAML with a `simulation:` block; `null` where nothing could be fitted. */
  readonly block: string | null;
}

/**
 * Calibrates the simulated venue by the sessions of some places.
 * @throws {UsageError} when a place has no session, or sessions are of different venues.
 * @throws {TapeFault} when a tape is damaged.
 * @throws {BakedFault} when a baked copy is damaged, or cannot be written.
 */
export function calibrate(places: readonly string[], options: CalibrateOptions = {}): Calibration {
  const { feed = 'recorded', onProgress = () => undefined } = options;
  const read = places.map((place) =>
    readSessions(place, (entries) => onProgress({ what: `reading ${place}: ${entries} entries`, share: null })),
  );
  const { sessions, repeated } = onceEach(read.flatMap((each) => each.sessions));
  refuseOtherVenues(sessions.map(({ profile, facts: { name } }) => ({ name, profile })));
  const facts = sessions.map((each) => each.facts);
  const trips = tripCount(facts);
  const latency: Fitted<LatencyFit> =
    trips >= TRIPS_MIN
      ? { fit: fitLatency(facts, feed), refused: null }
      : { fit: null, refused: `expected at least ${TRIPS_MIN} answered orders and cancels, found ${trips}` };
  const queue = queueOf(sessions, latency.fit, options);
  return {
    sessions: facts.map(({ name, from, to, trips: all, spells }) => ({
      name,
      from,
      to,
      requests: all.length,
      resting: spells.length,
    })),
    leftOut: [...read.flatMap((each) => each.leftOut), ...repeated],
    latency,
    queue,
    block: latency.fit === null ? null : simulationBlock({ latency: latency.fit, queue: queue.fit }),
  };
}

/** The recording of a session and its journal hold the same requests: counted twice, they would feign certainty. */
function onceEach(found: readonly FoundSession[]): {
  readonly sessions: readonly FoundSession[];
  readonly repeated: Calibration['leftOut'];
} {
  const isRepeated = ({ facts }: FoundSession, index: number): boolean =>
    found
      .slice(0, index)
      .some(({ facts: { name, from, to } }) => name === facts.name && from <= facts.to && facts.from <= to);
  const repeated = found.filter(isRepeated);
  return {
    sessions: found.filter((session) => !repeated.includes(session)),
    repeated: repeated.map(({ folder, facts }) => ({ name: facts.name, reason: `${folder} holds it once more` })),
  };
}

function queueOf(
  sessions: readonly FoundSession[],
  latency: LatencyFit | null,
  options: CalibrateOptions,
): Fitted<QueueFit> {
  const onTape = sessions.map((session) => ({
    ...session,
    facts: { ...session.facts, spells: spellsOnTape(session.facts) },
  }));
  const spells = onTape.flatMap(({ facts }) => facts.spells);
  const tooFew = tooFewOrders(spells, 'that rested');
  if (tooFew !== null) return { fit: null, refused: tooFew };
  const survival = cancelSurvival(onTape.map(({ facts }) => facts));
  const { openTape = openTapeAt, onProgress = () => undefined } = options;
  const takenLater = latency?.order[0]?.quantiles.find(([percent]) => percent === 99)?.[1] ?? 0;
  const opened = onTape.map((session) => ({ ...session, source: openTape(session.folder) }));
  try {
    const window = printWindow(opened.flatMap(({ source, facts }) => printGaps(source, facts)));
    const crossing = summedEvidence(
      opened.map(({ source, facts }) => crossingEvidence(source, facts, window ?? WINDOW_MAX)),
    );
    const candidates = queueCandidates({ printWindow: window, fillWhenCrossed: fillsWhenCrossed(crossing) });
    const models = candidates.map((each) => ({ ...each, queue: queueModel(each.queue) }));
    const probed = opened.map(({ source, facts }): ProbedSession =>
      probeOrders({
        session: facts,
        source,
        models,
        survival,
        takenLater,
        onProgress: (share) => onProgress({ what: `placing the orders of session ${facts.name} again`, share }),
      }),
    );
    const placed = probed.flatMap((each) => each.spells);
    const tooFewPlaced = tooFewOrders(placed, 'that could be placed again');
    if (tooFewPlaced !== null) return { fit: null, refused: tooFewPlaced };
    return { fit: { ...fitQueue(probed, candidates, survival), crossing }, refused: null };
  } finally {
    for (const { source } of opened) source.close();
  }
}
