// Captures whose messages another thread reads ahead: the tape and the findings are those of an import on one thread, and
// so they are when the thread fails.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ScanThread } from '../../../src/tape/import/captures/scan-thread.ts';
import { captureWire } from '../../../src/venues/trade-api/captures/capture-dialects.ts';
import { MS, changeOf, snapshotOf, subscribedTo, tradeOf } from '../../support/tapes/captured-messages.ts';
import {
  type ImportResult,
  type TestImportOptions,
  areRecordingsAbsent,
  importFiles,
  importTexts,
  recordings,
  skipReason,
} from '../../support/tapes/imported-tape.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-read-ahead-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { id } = JSON.parse(readFileSync('dist/builds/newest.json', 'utf8')) as { readonly id: string };
const PROGRAM = pathToFileURL(join('dist/builds', id, 'src/venues/trade-api/captures/scan-program.js'));
/** Some five chunks of lines. */
const LINES = 5000;

const wireWith = (scanProgram: URL) => ({
  ...captureWire,
  feeds: captureWire.feeds.map((feed) => ({ ...feed, scanProgram })),
});
const AHEAD: TestImportOptions = { readsAhead: true, wire: wireWith(PROGRAM) };
const ALONE: TestImportOptions = { readsAhead: false };

const importing = (text: string | Uint8Array, options: TestImportOptions, ending = '.jsonl'): Promise<ImportResult> =>
  importTexts('feed-jsonl', [text], { ending, ...options });

/** A result without the names of its files. The facts are a text, which compares faster. */
const contentOf = ({ report, facts }: ImportResult): unknown => ({
  facts: JSON.stringify(facts),
  report: {
    ...report,
    files: [],
    findings: report.findings.map((finding) => ({
      ...finding,
      examples: finding.examples.map(({ line, what }) => [line, what]),
    })),
  },
});

const BOOK = { yes: [['0.4200', '90000.00']], no: [['0.5000', '2.00']] } as const;

type LineOf = (message: object, at: number) => string;
const bare: LineOf = (message) => JSON.stringify(message);
const wrapped: LineOf = (message, at) => `{"recv_ms":${MS + at},"event":${JSON.stringify(message)}}`;

/** Lines other than a change of a known market, which appear now and then. */
const RARE: readonly ((seq: number, lineOf: LineOf) => string)[] = [
  (seq, lineOf) => lineOf(snapshotOf(seq, BOOK), seq),
  (seq, lineOf) => lineOf(snapshotOf(seq, { ...BOOK, market: `M-${1 + (seq % 40)}` }), seq),
  (seq, lineOf) => lineOf(tradeOf(seq), seq),
  (seq, lineOf) => lineOf(tradeOf(seq, { market_ticker: `NEW-${seq}` }), seq),
  (seq, lineOf) => lineOf(changeOf(seq + 3), seq),
  (seq, lineOf) => lineOf(changeOf(seq, { price: '1.7000' }), seq),
  (seq, lineOf) => lineOf(changeOf(seq, { change: '-99999999.00' }), seq),
  (seq, lineOf) => lineOf(changeOf(seq), seq).slice(0, -9),
  (seq, lineOf) => `${lineOf(changeOf(seq), seq)}\r`,
  (seq, lineOf) => `${lineOf(changeOf(seq), seq)} `,
  (seq, lineOf) => `${lineOf(changeOf(seq), seq)}}`,
  (seq, lineOf) => lineOf(changeOf(seq), seq).slice(0, -1),
  (seq, lineOf) => lineOf(changeOf(seq), seq).replace(/}$/, ',"note":{"of":{}}}'),
  (seq, lineOf) => `${lineOf(changeOf(seq), seq)}${lineOf(changeOf(seq + 1), seq)}`,
  (seq, lineOf) => lineOf(changeOf(seq), seq).replace(',"msg"', ',\n"msg"'),
  (seq, lineOf) => lineOf(changeOf(seq), seq).replace(/}$/, '\n}'),
  (seq, lineOf) => lineOf({ ...changeOf(seq), src: 'x' }, seq),
  (seq, lineOf) => lineOf(changeOf(seq), seq - 400),
  (seq) => bare(changeOf(seq), seq),
  (seq) => wrapped(changeOf(seq), seq),
  (seq, lineOf) => lineOf({ type: 'subscribed', id: 1, msg: { channel: 'orderbook_delta', sid: 1 } }, seq),
  () => '',
  (seq) => JSON.stringify({ note: 'x'.repeat(300_000), seq }),
];

/** A capture of many lines. One line in `rarity` is a rare one. */
function captureOf(lineOf: LineOf, { seed, rarity }: { readonly seed: number; readonly rarity: number }): string {
  let state = seed;
  const draw = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
  const lines = [lineOf(subscribedTo(1), 0), lineOf(snapshotOf(1, BOOK), 1)];
  for (let seq = 2; seq < LINES; seq++) {
    const rare = seq > 600 && draw(rarity) === 0 ? RARE[draw(RARE.length)] : undefined;
    const market = `M-${1 + draw(3)}`;
    const side = draw(2) === 0 ? 'yes' : 'no';
    lines.push(rare?.(seq, lineOf) ?? lineOf(changeOf(seq, { market, side, change: `${draw(900)}.00` }), seq));
  }
  return lines.join('\n');
}

describe('a capture read ahead', () => {
  it.each([
    ['with bare messages', bare],
    ['with messages in a wrapper', wrapped],
  ])('%s gives the tape and the findings of one read by a single thread', async (_title, lineOf) => {
    const shapes = fc.record({ seed: fc.nat(), rarity: fc.constantFrom(20, 400, 4000) });
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const capture = captureOf(lineOf, shape);
        const alone = await importing(capture, ALONE);
        expect(contentOf(await importing(capture, AHEAD))).toEqual(contentOf(alone));
        // A thread that has failed does not wait for the next import.
        expect(ScanThread.isReady(PROGRAM)).toBe(true);
      }),
      { numRuns: runCount(4) },
    );
  });

  it.skipIf(areRecordingsAbsent)(`gives the tape of one read by a single thread${skipReason}`, async () => {
    const events = join(recordings, 'kalshi-gold-2026-08/events');
    const names = readdirSync(events, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.gz'));
    const [file = ''] = names.sort().map((name) => join(events, name));
    const alone = await importFiles('feed-jsonl', [file], ALONE);
    expect(contentOf(await importFiles('feed-jsonl', [file], AHEAD))).toEqual(contentOf(alone));
  });

  it.each([
    ['cannot start', 'throw new Error("out of order");'],
    ['ends at its third request', 'let n = 0; parentPort.on("message", () => { if (++n > 2) process.exit(1); });'],
    [
      'reads nothing, and fails at its fourth request',
      'let n = 0; parentPort.on("message", () => { if (++n > 3) throw new Error(); if (n > 1) parentPort.postMessage(true); });',
    ],
  ])('is read whole when the thread %s', async (_title, code) => {
    const program = join(folder, `program-${code.length}.mjs`);
    writeFileSync(program, `import { parentPort } from 'node:worker_threads';\n${code}`);
    const capture = captureOf(wrapped, { seed: 1, rarity: 300 });
    const alone = await importing(capture, ALONE);
    const ahead = await importing(capture, { readsAhead: true, wire: wireWith(pathToFileURL(program)) });
    expect(contentOf(ahead)).toEqual(contentOf(alone));
  });

  it('is read whole when the system gives no thread', async () => {
    // Node refuses such an address at once, as it does when a limit of threads is reached.
    const refused = new URL('https://presage.invalid/scan-program.js');
    expect(ScanThread.begin(refused, 'any')).toBeNull();
    const capture = captureOf(wrapped, { seed: 1, rarity: 300 });
    const alone = await importing(capture, ALONE);
    expect(contentOf(await importing(capture, { readsAhead: true, wire: wireWith(refused) }))).toEqual(
      contentOf(alone),
    );
  });

  it('reports a fault in the file at the line that the import has reached', async () => {
    const packed = gzipSync(captureOf(wrapped, { seed: 2, rarity: 400 }));
    const faultOf = (options: TestImportOptions) =>
      importing(packed.subarray(0, packed.length - 20_000), options, '.jsonl.gz').then(String, (fault: unknown) =>
        String(fault).replaceAll(new RegExp(`${tmpdir()}\\S*/`, 'g'), ''),
      );
    const alone = await faultOf(ALONE);
    expect(alone).toMatch(/file-1.jsonl.gz.*line \d{4}.*the packed file ends too early/s);
    expect(await faultOf(AHEAD)).toBe(alone);
  });
});
