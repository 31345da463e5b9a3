// The sentences and tables of a calibration, verdict first. Pure text.
import { countText, countedNoun, shareText } from '../../report/text/figure-text.ts';
import type { Calibration } from './calibrate.ts';
import { CROSSING_FILLS_MIN, type CrossingEvidence, crossingShareMax, fillsWhenCrossed } from './crossing-evidence.ts';
import { type DelaySummary, type FittedRow, HOUR_MIN, type LatencyFit, WAY_MIN } from './latency-fit.ts';
import type { QueueCandidate, QueueFit, QueueScore } from './queue-fit.ts';
import { durationText } from './simulation-block.ts';

/** The verdict in one sentence. */
export function calibrationHeadline({ latency, queue, sessions }: Calibration): string {
  const from = `from ${countedNoun(sessions.length, 'session')}`;
  if (latency.fit === null) return `Nothing fitted ${from}: ${latency.refused ?? ''}.`;
  const delays = `delays (${worstText(latency.fit)})`;
  if (queue.fit === null)
    return `Fitted ${from}: ${delays}. The queue keeps its default model: ${queue.refused ?? ''}.`;
  const { later } = queue.fit.chosen;
  return `Fitted ${from}: ${delays} and the queue (fill rate of later orders ${shareText(later.modelRate)}, in the sessions ${shareText(later.liveRate)}).`;
}

function worstText({ order, answer, feed, feedModel }: LatencyFit): string {
  const drawn = feedModel === 'drawn' && feed !== null ? feed : [];
  const tables = [...order, ...answer, ...drawn].map(({ quality }) => quality);
  const worst = `largest distance from later ones ${Math.max(...tables.map(({ distance }) => distance)).toFixed(3)}`;
  const others = tables.filter(({ distance, byChance }) => distance > byChance).length;
  if (others === 0) return worst;
  const differ = others === 1 ? 'differs' : 'differ';
  return `${worst}; ${others} of ${countedNoun(tables.length, 'table')} ${differ} from them by more than chance explains`;
}

/** Whole sentences about the fit. */
export function calibrationSentences({ latency, queue, leftOut }: Calibration): string[] {
  return [
    ...(latency.fit === null ? [] : latencySentences(latency.fit)),
    ...(queue.fit === null ? [] : queueSentences(queue.fit)),
    ...leftOut.map(({ name, reason }) => `Session ${name} is left out: ${reason}.`),
  ];
}

function latencySentences({ separated, division, clock, offsetWithin, feed }: LatencyFit): string[] {
  const others =
    division === 'ranks' ? 'the others are divided like those of the same rank by round trip' : 'the others are halved';
  const parted = `The venue’s times separate the way there from the way back for ${shareText(separated, 0)} of the requests${separated === 1 ? '' : `; ${others}`}.`;
  const within = offsetWithin === null ? '' : ` The clocks’ offset is known within ${durationText(offsetWithin)}.`;
  const clocks = {
    none: 'The venue’s times could not be compared with ours: half of each round trip is taken as the way there.',
    tape: `${parted} They are compared with the tape’s rows, by the venue’s clock: no offset of the clocks matters.`,
    offset: `${parted}${within}`,
  }[clock ?? 'none'];
  return [
    clocks,
    `A kind of request has a table of its own from ${WAY_MIN} requests on, an hour from ${HOUR_MIN} on, where it differs from all.`,
    ...(feed === null
      ? [
          `Delays of the feed are unknown: fewer than ${HOUR_MIN} of its messages carry times, or the clocks’ offset is unknown. The block keeps those of the tape.`,
        ]
      : []),
  ];
}

const modelText = ({ queue, printWindow, fillWhenCrossed }: QueueCandidate): string =>
  [
    `${queue.model}${queue.model === 'power' ? ` ${queue.power}` : ''}`,
    ...(printWindow === null ? [] : [`print window ${durationText(printWindow)}`]),
    ...(fillWhenCrossed ? [] : ['no fills by crossing quotes']),
  ].join(', ');

function crossingSentence(evidence: CrossingEvidence): string {
  const { fills, rested } = evidence;
  const found = `Of ${countedNoun(fills, 'fill')} that used up an order, ${countText(rested)} left a rest of the taker’s quote in the book`;
  const most = `quotes made at most ${shareText(crossingShareMax(evidence))} of them, with 95 % confidence`;
  if (!fillsWhenCrossed(evidence)) return `${found}: ${most}. A quote that crosses an order does not fill it.`;
  if (fills < CROSSING_FILLS_MIN)
    return `${found}: too few to exclude that quotes fill orders that they cross, as they do by default.`;
  return `${found}: a quote that crosses an order fills it, as by default.`;
}

function queueSentences({ by, chosen, leftOut, crossing }: QueueFit): string[] {
  const used = chosen.earlier.orders + chosen.later.orders;
  const evidence = by === 'positions' ? 'the venue’s own queue positions' : 'what filled of each order';
  return [
    `The queue model ${modelText(chosen)} is chosen by ${evidence}: on the first ${countText(chosen.earlier.orders)} of ${countText(used)} resting orders, judged on the other ${countText(chosen.later.orders)}.`,
    crossingSentence(crossing),
    ...(leftOut === 0
      ? []
      : [
          `${countedNoun(leftOut, 'resting order')} could not be placed again: the book was unknown, they would have traded at once, or too many rested in one place.`,
        ]),
  ];
}

/** The rows of the table of delays, with a head. */
export function delayRows({ roundTrips, untilShown, feedDelays }: LatencyFit): string[][] {
  const row = (name: string, { count, median, p95, p99 }: DelaySummary): string[] => [
    name,
    countText(count),
    ...[median, p95, p99].map(durationText),
  ];
  return [
    ['delay', 'count', 'median', 'p95', 'p99'],
    ...roundTrips.map((each) => row(`${each.way}: request to answer`, each)),
    ...untilShown.map((each) => row(`${each.way}: request to effect on the feed`, each)),
    ...(feedDelays === null ? [] : [row('feed: venue to us', feedDelays)]),
  ];
}

/** The rows of the table of fits, with a head. */
export function fitRows({ order, answer, feed }: LatencyFit): string[][] {
  const row = (leg: string, { way, hour, count, quality }: FittedRow): string[] => [
    `${leg}: ${way ?? 'all'}${hour === undefined ? '' : `, ${String(hour).padStart(2, '0')}h UTC`}`,
    countText(count),
    countText(quality.fitted),
    countText(quality.judged),
    quality.distance.toFixed(3),
    quality.byChance.toFixed(3),
  ];
  return [
    ['table', 'count', 'fitted on', 'judged on', 'distance', 'by chance'],
    ...order.map((each) => row('order', each)),
    ...answer.map((each) => row('answer', each)),
    ...(feed ?? []).map((each) => row('feed', each)),
  ];
}

/** The rows of the comparison of queue models on the later orders, with a head. */
export function queueRows({ chosen, default: byDefault }: QueueFit): string[][] {
  const row = (name: string, score: QueueScore): string[] => [
    name,
    shareText(score.modelRate),
    timeText(score.modelTimeToFill),
    score.fillError.toFixed(4),
    score.positionError === null ? '–' : (score.positionError / 100).toFixed(2),
  ];
  const { later } = chosen;
  return [
    ['later orders', 'filled', 'time to fill', 'error²', 'position error'],
    ['the sessions', shareText(later.liveRate), timeText(later.liveTimeToFill), '', ''],
    row(`default: ${modelText(byDefault)}`, byDefault.later),
    row(`chosen: ${modelText(chosen)}`, later),
  ];
}

const timeText = (micros: number | null): string => (micros === null ? '–' : `${(micros / 1_000_000).toFixed(2)} s`);
