// Six windows of a real market from a third party's recording: imported without a converter, traded by the shipped
// quoter, and settled as the venue settled them. The recordings are stored next to the repository, not in it.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDefinitions } from '../../src/cli/tape/import-definitions.ts';
import { runBacktestOnce } from '../../src/app/backtest/backtest-session.ts';
import { readBacktestConfig } from '../../src/config/backtest-config.ts';
import { must } from '../../src/base/assert.ts';
import type { EngineEvent } from '../../src/domain/event.ts';
import { EPOCH, type Micros, PAYOUT } from '../../src/domain/units.ts';
import type { Notice } from '../../src/execution/engine-notice.ts';
import type { RowSource } from '../../src/tape/baked/tape-rows.ts';
import { parseTime } from '../../src/venues/trade-api/wire/wire-time.ts';
import { captureWire } from '../../src/venues/trade-api/captures/capture-dialects.ts';
import {
  areRecordingsAbsent,
  countsOf,
  importFiles,
  recordings,
  skipReason,
  withImportedTape,
} from '../support/tapes/imported-tape.ts';

const GOLD = join(recordings, 'kalshi-gold-2026-08');
const METADATA = join(GOLD, 'metadata');

/** The files of a window, one market each. */
const filesOf = (ticker: string): string[] =>
  readdirSync(join(GOLD, 'events', ticker)).map((file) => join(GOLD, 'events', ticker, file));

/** The venue's description of a market after it had paid. */
interface Answered {
  readonly ticker: string;
  readonly event_ticker: string;
  readonly result: 'yes' | 'no';
  readonly settlement_ts: string;
}

const answered = (): readonly Answered[] =>
  readdirSync(METADATA).flatMap(
    (file) =>
      (JSON.parse(readFileSync(join(METADATA, file), 'utf8')) as { response: { markets: Answered[] } }).response
        .markets,
  );

/** The shipped quoter with the limits of the shipped backtest. */
const configOver = (shipped: string): string =>
  shipped
    .replace(/^tape: .*$/m, 'tape: window.arrow')
    .replace(/^markets:[\s\S]*?^strategies:[\s\S]*?^limits:/m, `${QUOTING}\nlimits:`)
    .replace(/^report:[\s\S]*/m, '');
const QUOTING = `markets:
  series: [KXGOLD15M]
strategies:
  - name: quoter
    file: ${join(import.meta.dirname, '../../strategies/two-sided-quoter.ts')}
`;

const importing = (ticker: string) => {
  const { definitions } = readDefinitions([METADATA], captureWire);
  return { format: 'feed-jsonl', files: filesOf(ticker), definitions };
};

describe.skipIf(areRecordingsAbsent)(
  `windows of a real market, one file each, split from a shared subscription${skipReason}`,
  () => {
    let folder = '';
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'presage-gold-'));
      writeFileSync(join(folder, 'gold.yaml'), configOver(readFileSync('config/backtest.yaml', 'utf8')));
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('there are six windows', () => {
      expect(answered()).toHaveLength(6);
    });

    /** Runs the quoter over a window; returns the payments of its position, with their times. */
    async function traded(source: RowSource) {
      const life: { readonly at: Micros; readonly status: string; readonly result: string | undefined }[] = [];
      const paid: { readonly at: Micros; readonly held: number; readonly paid: number }[] = [];
      let at = EPOCH;
      const telling = (event: EngineEvent): void => {
        at = event.at;
        if (event.kind === 'market-changed')
          life.push({ at, status: event.status ?? 'as before', result: event.result ?? undefined });
      };
      const observe = (notice: Notice): void => {
        if (notice.type === 'settled') paid.push({ at, held: notice.held, paid: notice.paid });
      };
      const config = readBacktestConfig(join(folder, 'gold.yaml'));
      const run = await runBacktestOnce(config, source, { observe, observer: { beforeEvent: telling } });
      return { run, paid, life };
    }

    it.each(areRecordingsAbsent ? [] : answered().map(({ ticker }) => ticker))(
      '%s is imported whole, traded, and settled as the venue did',
      { timeout: 300_000 },
      async (ticker) => {
        const { result, settlement_ts: settledAt } = must(
          answered().find((each) => each.ticker === ticker),
          "the venue's description",
        );
        await withImportedTape(importing(ticker), async (source, report) => {
          expect(report.findings).toEqual([]);
          expect(report.warnings).toEqual([]);
          expect(report.dialect).toBe('dollars-unnumbered');
          expect(report.coverage.markets.map((each) => each.ticker)).toEqual([ticker]);
          expect(report.coverage.share).toBeGreaterThanOrEqual(0.99);
          const { run, paid, life } = await traded(source);
          expect({ isWhole: run.isWhole, imbalances: run.imbalances, unsettled: run.unsettled }).toEqual({
            isWhole: true,
            imbalances: [],
            unsettled: [],
          });
          expect(run.driver.venue.account.fills.length).toBeGreaterThan(0);
          const paidAt = must(parseTime(settledAt), settledAt);
          expect(life).toEqual([
            // The settlement timer of each market is one second.
            { at: paidAt - 1_000_000, status: 'determined', result },
            { at: paidAt, status: 'finalized', result: undefined },
          ]);
          expect(paid).toHaveLength(1);
          for (const settlement of paid) {
            const isWon = settlement.held > 0 === (result === 'yes');
            const due = isWon ? Math.abs(settlement.held) * PAYOUT : 0;
            expect(settlement).toEqual({ at: paidAt, held: settlement.held, paid: due });
          }
        });
      },
    );

    it('two windows imported together show the new connection between them', { timeout: 300_000 }, async () => {
      const [first, second] = ['KXGOLD15M-26AUG102015-15', 'KXGOLD15M-26AUG102200-00'];
      const { report } = await importFiles('feed-jsonl', [...filesOf(first ?? ''), ...filesOf(second ?? '')]);
      // The sequence numbers of the second window are lower: the recorder connected again in between.
      expect(countsOf(report)).toEqual({ reconnect: 1 });
      expect(report.coverage.markets).toHaveLength(2);
      expect(report.coverage.share).toBeGreaterThanOrEqual(0.99);
    });
  },
);
