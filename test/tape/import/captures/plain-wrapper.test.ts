// A plain wrapper around the messages of a capture: its lines are scanned and not parsed, and read alike.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MS, changeOf, snapshotOf, subscribedTo } from '../../../support/tapes/captured-messages.ts';
import { countsOf, importTexts, marketRows } from '../../../support/tapes/imported-tape.ts';
import { runCount } from '../../../support/runner/property-runs.ts';

const importing = (text: string) => importTexts('feed-jsonl', [text], { ending: '.jsonl' });

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
