// A plain wrapper around the messages of a capture: its lines are scanned and not parsed, and read alike.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MS, changeOf, snapshotOf, subscribedTo, tradeOf } from '../../../support/tapes/captured-messages.ts';
import { type ImportResult, countsOf, importTexts, marketRows } from '../../../support/tapes/imported-tape.ts';
import { must } from '../../../../src/base/assert.ts';
import { runCount } from '../../../support/runner/property-runs.ts';

const importing = (text: string) => importTexts('feed-jsonl', [text], { ending: '.jsonl' });

const findingsOf = ({ report }: ImportResult): unknown =>
  report.findings.map((finding) => ({ ...finding, examples: finding.examples.map(({ line, what }) => [line, what]) }));

const BOOK = { yes: [['0.4000', '3.00']], no: [['0.5000', '2.00']] } as const;
const OPENING = [subscribedTo(1), snapshotOf(1, BOOK)];

describe('a capture', () => {
  it('a plain wrapper is read alike whether its lines are parsed or only scanned', async () => {
    const plain = (time: number | string, message: object): string =>
      `{"recv_ms":${time},"event":${JSON.stringify(message)}}`;
    // Each of these differs from the wrapper that was learned, and must be read as any other line.
    const odd: readonly ((time: number, message: object) => string)[] = [
      (time, message) => plain(time, message).replace(/}$/, ',"note":{"of":{}}}'),
      (time, message) => plain(time, message).replace('"event"', '"frame"'),
      (time, message) => plain(time, message).replace('{"recv_ms":', '{"recv_ms": '),
      (time, message) => plain(`${time}000000`, message),
      (time, message) => plain(`${time}.25`, message),
      (time, message) => plain(`"${time}"`, message),
      (time, message) => `${plain(time, message)}\r`,
      (time, message) => plain(time, { ...message, src: 'x' }),
      (time, message) => plain(time, message).slice(0, -1),
      (time, message) => plain(time, message).replace('"msg":{', '"msg":{"of":{"a":1},'),
      (time, message) => plain(time, message).replace('"msg":{', '"msg":{"of":"}}}",'),
      (_time, message) => plain(12_345_678, message),
      (_time, message) => plain('9999999999999999', message),
      (_time, message) => JSON.stringify(message),
    ];
    const steps = fc.array(fc.record({ ms: fc.nat(3000), way: fc.integer({ min: -30, max: odd.length - 1 }) }));
    await fc.assert(
      fc.asyncProperty(steps, async (drawn) => {
        // The dialect is determined by the first five hundred messages.
        const first = Array.from({ length: 520 }, (_, at) => changeOf(at + 2));
        const lines = [...OPENING, ...first].map((message, at) => plain(MS + at, message));
        drawn.forEach(({ ms, way }, at) => {
          const message = changeOf(at + 522, { side: at % 2 === 0 ? 'yes' : 'no', price: '0.3000' });
          lines.push((odd[way] ?? plain)(MS + 600 + ms, message));
        });
        const scanned = await importing(lines.join('\n'));
        const parsed = await importing(lines.map((line) => line.replace('{', '{ ')).join('\n'));
        expect(marketRows(scanned)).toEqual(marketRows(parsed));
        expect(countsOf(scanned.report)).toEqual(countsOf(parsed.report));
        expect(scanned.report.facts.gaps).toEqual(parsed.report.facts.gaps);
        expect(scanned.report.read).toBe(parsed.report.read);
      }),
      { numRuns: runCount(60) },
    );
  });

  it.each<[string, (message: object, at: number) => string]>([
    ['in a plain wrapper', (message, at) => `{"recv_ms":${MS + at},"event":${JSON.stringify(message)}}`],
    ['alone on their lines', (message) => JSON.stringify(message)],
  ])('messages of every type %s are read alike whether they are parsed or only scanned', async (_title, lineOf) => {
    const kinds: readonly ((seq: number) => object)[] = [
      (seq) => changeOf(seq),
      (seq) => snapshotOf(seq, BOOK),
      (seq) => tradeOf(seq),
      (seq) => tradeOf(seq, { is_block_trade: true }),
      (seq) => tradeOf(seq, { is_block_trade: null }),
      (seq) => tradeOf(seq, { market_ticker: `NEW-${seq}` }),
      (seq) => tradeOf(seq, { market_ticker: '' }),
      (seq) => tradeOf(seq, { note: 'unknown' }),
      (seq) => tradeOf(seq, { trade_id: 'escaped "id"' }),
      (seq) => tradeOf(seq, { yes_price_dollars: '1.5000' }),
      () => tradeOf(1),
      () => ({ ...tradeOf(0), seq: undefined }),
      (seq) => ({ ...tradeOf(seq), src: 'chunk_boundary' }),
      (seq) => ({ type: 'trade', sid: 2, seq, msg: { trade_id: 't', market_ticker: 'M-1' } }),
      () => subscribedTo(1),
      () => subscribedTo(3, 'trade'),
      () => ({ type: 'fill', sid: 4, msg: { trade_id: 'own' } }),
      () => ({ type: 'unheard', sid: 5, msg: { of: { a: 1 } } }),
      () => ({ type: 'ok', id: 7 }),
      () => ({ id: 8, cmd: 'subscribe', params: { channels: ['trade'] } }),
      () => ({ note: 'of the recorder' }),
      () => ({ frame: tradeOf(9) }),
    ];
    const drawnKinds = fc.array(fc.nat(kinds.length - 1), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(drawnKinds, async (drawn) => {
        const first = Array.from({ length: 520 }, (_, at) => changeOf(at + 2));
        const seqs = new Map<unknown, number>([
          [1, 521],
          [2, 0],
        ]);
        const later = drawn.map((kind) => {
          const messageOf = must(kinds[kind], 'a kind');
          const { sid } = messageOf(0) as { readonly sid?: number };
          const seq = (seqs.get(sid) ?? 0) + 1;
          seqs.set(sid, seq);
          return messageOf(seq);
        });
        const lines = [...OPENING, ...first, ...later].map(lineOf);
        const unwrapped = await importing(lines.join('\n'));
        const parsed = await importing(lines.map((line) => line.replace('{', '{ ')).join('\n'));
        expect(marketRows(unwrapped)).toEqual(marketRows(parsed));
        expect(findingsOf(unwrapped)).toEqual(findingsOf(parsed));
        expect(unwrapped.report.facts).toEqual({ ...parsed.report.facts, sourceHash: expect.any(String) as string });
      }),
      { numRuns: runCount(30) },
    );
  });

  it('a number before the message that is no time is not taken for one', async () => {
    const counted = (at: number, message: object, received: string): string =>
      `{"n":${1_000_000_000 + at},"event":${JSON.stringify(message)}${received}}`;
    const messages = [...OPENING, ...Array.from({ length: 600 }, (_, at) => changeOf(at + 2))];
    const lines = messages.map((message, at) => counted(at, message, at === 580 ? '' : `,"recv_ms":${MS + at}`));
    const { report } = await importing(lines.join('\n'));
    expect(countsOf(report)).toEqual({ 'untimed-line': 1 });
    expect([report.facts.from, report.facts.to]).toEqual([(MS + 1) * 1000, (MS + 601) * 1000]);
  });
});
