// The time of one answer of `presage why` from the index of a long session, against one plain reading of the same
// journal. Must never count the making of the session or of its index.
import { join } from 'node:path';
import { openWhySource } from '../../../src/app/why/why-run.ts';
import { fileStorage } from '../../../src/tape/journal/file-storage.ts';
import { TapeReader } from '../../../src/tape/journal/tape-reader.ts';
import { answerWhy } from '../../../src/why/answer-why.ts';
import { buildWhyIndex } from '../../../src/why/why-index.ts';
import type { WhySource } from '../../../src/why/why-source.ts';
import { type RecordedDay, recordDay } from '../day-session.ts';
import { inFolder } from '../recording.ts';
import type { Figures, Scenario } from '../scenario.ts';

/** As much of a quiet day as is made, indexed and asked within a minute. A whole day takes longer to make. */
const DAY = { hours: 4, seed: 7, furtherMarkets: 0, changesPerSecond: 0.02, tradesPerMinute: 0.2 };
/** Time of the question before the end of the session. Microseconds. */
const BEFORE_END = 3_600_000_000;

export const whySession: Scenario = {
  name: 'why-4h',
  what: 'four quiet hours of journal: its lines read, then one question answered from its index',
  run: () =>
    inFolder(async (data): Promise<Figures> => {
      const folder = join(data, 'journal');
      const day = await recordDay({ ...DAY, folder });
      const source = openWhySource({ data });
      await buildIndex(source);
      const answerSeconds = await secondsOf(() => askOnce(source, day));
      const readSeconds = await secondsOf(() => new TapeReader(fileStorage(folder)).forEachEntry(() => undefined));
      return { entries: day.entries, answerSeconds, readSeconds, answerPerReading: answerSeconds / readSeconds };
    }),
};

async function buildIndex(source: WhySource): Promise<void> {
  const [built] = await buildWhyIndex(source);
  if (built?.leftOut !== null) throw new Error(`why-4h: ${built?.leftOut ?? 'no session'}`);
}

/** Asks about the end of the session. A source that cannot replay answers from the index alone. */
async function askOnce(source: WhySource, { tickers: [ticker = ''], toUs }: RecordedDay): Promise<void> {
  const strategies = () => Promise.reject(new Error('why-4h: the index was not used'));
  const answers = await answerWhy({ ...source, strategies }, { ticker, atUs: toUs - BEFORE_END });
  if (!answers.every(({ minutes }) => minutes.length === 121)) throw new Error('why-4h: an answer is not complete');
}

async function secondsOf(work: () => unknown): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}
