// Lines of other people's recorders: names and units of times, and wrappers of messages.
import { describe, expect, it } from 'vitest';
import { parseCapturedLine } from '../../../../src/tape/import/captures/captured-line.ts';
import { MS, changeOf, linesOf, snapshotOf } from '../../../support/tapes/captured-messages.ts';
import { importTexts, marketRows } from '../../../support/tapes/imported-tape.ts';

const MESSAGE = changeOf(2);
const AT = { kind: 'instant', at: MS * 1000 };
const ISO = new Date(MS).toISOString();

const read = (line: unknown) => parseCapturedLine(Buffer.from(typeof line === 'string' ? line : JSON.stringify(line)));

describe('the time of a line', () => {
  const names =
    'recv_ms recvMs recv_ts recv_ts_ms recv_ns received received_at receivedAt received_ms receive_time rx_ts arrival_ts ' +
    'captured_at capture_time recorded_at logged_at ingested_at local_ts localTimestamp host_time wall_time _ts at ts ts_ms ' +
    'ts_us ts_ns tsMs time time_ms timestamp timestamp_ms datetime epoch_ms t';
  it.each(names.split(' '))(
    'the time of a line is taken from %s, around the message and next to its members',
    (name) => {
      expect(read({ [name]: MS, msg: MESSAGE })).toMatchObject({ kind: 'message', at: AT, message: MESSAGE });
      expect(read({ ...MESSAGE, [name]: MS })).toMatchObject({ kind: 'message', at: AT, message: MESSAGE });
    },
  );

  const written: readonly (readonly [string, number | string])[] = [
    ['seconds', MS / 1000],
    ['seconds as text', String(MS / 1000)],
    ['milliseconds', MS],
    ['microseconds', MS * 1000],
    ['nanoseconds as text', `${MS}000000`],
    ['ISO text', ISO],
    ['ISO text with a space and an offset', ISO.replace('T', ' ').replace('Z', '+00:00')],
  ];
  it.each(written)('the time of a line may be written in %s', (_unit, value) => {
    expect(read({ ts: value, msg: MESSAGE })).toMatchObject({ at: AT });
  });

  it('the time of a line is the time of receipt where there are several', () => {
    expect(read({ ts: MS - 5000, recv_ms: MS, event: MESSAGE })).toMatchObject({ at: AT });
    expect(read({ t: 1_600_000_000, local_ts: MS - 1, received_at: ISO, event: MESSAGE })).toMatchObject({ at: AT });
  });

  it("the time of a line is not one of the venue's, nor one of a name that only resembles one", () => {
    for (const name of ['exchange_ts', 'server_time', 'close_ts', 'attempt', 'rate'])
      expect(read({ [name]: MS, msg: MESSAGE })).toMatchObject({ kind: 'message', at: null });
  });
});

describe('the wrapper of a line', () => {
  const text = JSON.stringify(MESSAGE);
  const wrappers: readonly (readonly [string, unknown])[] = [
    ...['frame', 'message', 'msg', 'data', 'raw', 'payload', 'body', 'event', 'content'].map(
      (name) => [name, { recv_ms: MS, [name]: MESSAGE }] as const,
    ),
    ['text in a record', { recv_ms: MS, channel: 'orderbook', raw: text }],
    ['a record in a record', { recv_ms: MS, data: { n: 1, event: MESSAGE } }],
    ['text in a record in a record', { recv_ms: MS, type: 'ws', data: { type: 'text', payload: text } }],
    ['a list with a time', [MS, MESSAGE]],
    ['a list with a time and text', [ISO, 'in', text]],
    ['a time before the message', `${ISO} ${text}`],
  ];
  it.each(wrappers)('the wrapper of a line may be %s', (_name, line) => {
    expect(read(line)).toMatchObject({ kind: 'message', at: AT, message: MESSAGE });
  });

  it("a wrapper may have renamed the message's content", () => {
    const { type, sid, seq, msg } = MESSAGE as { type: string; sid: number; seq: number; msg: object };
    expect(read({ recv_ms: MS, type, sid, seq, data: msg })).toMatchObject({ at: AT, message: MESSAGE });
    expect(read({ recv_ms: MS, event: { type, data: msg } })).toMatchObject({ at: AT, message: { type, msg } });
  });

  it('a wrapper around a command of the recorder is removed, too', () => {
    const sent = { id: 1, cmd: 'subscribe', params: { channels: ['orderbook_delta'] } };
    expect(read({ ts: MS, data: { sent } })).toEqual({ kind: 'sent', at: AT, text: JSON.stringify(sent) });
  });

  it('a wrapper without a message within is reported with its members', () => {
    expect(read({ recv_ms: MS, note: { connected: true } })).toEqual({
      kind: 'bad',
      what: 'expected a message of the feed, found a record of "recv_ms, note"',
    });
    expect(read([MS, 1])).toMatchObject({ kind: 'bad' });
    expect(read([MS, { a: 1 }])).toMatchObject({ kind: 'bad', what: expect.stringContaining('in the list') as string });
  });
});

describe('a capture whose only times are within its messages', () => {
  const SECOND = MS / 1000;
  const within = (message: object, ts: unknown): object => {
    const { msg, ...envelope } = message as { msg: object };
    const content = { ...msg, ts } as Record<string, unknown>;
    delete content['ts_ms'];
    return { ...envelope, msg: content };
  };
  const book = snapshotOf(1, { yes: [['0.4000', '3.00']] });

  it('a capture with message times in seconds is dated by them, and has an assumption about it', async () => {
    const text = linesOf(
      book,
      within(changeOf(2), SECOND),
      within(changeOf(3), SECOND),
      within(changeOf(4), SECOND + 2),
    );
    const imported = await importTexts('feed-jsonl', [text], { ending: '.jsonl' });
    expect(imported.report.findings).toEqual([]);
    expect(marketRows(imported).map(({ row }) => [row.at, row.exchangeAt])).toEqual([
      [MS * 1000, null],
      [MS * 1000, MS * 1000],
      [MS * 1000, MS * 1000],
      [(MS + 2000) * 1000, (MS + 2000) * 1000],
    ]);
    expect(imported.report.facts.assumptions.join(' ')).toContain('The times within the messages are whole seconds');
  });

  it('a capture with message times in text, of snapshots too, is dated to the microsecond', async () => {
    const text = linesOf(
      within(book, '2026-08-06T03:46:29.022001Z'),
      within(changeOf(2), '2026-08-06T03:46:29.04872Z'),
    );
    const imported = await importTexts('feed-jsonl', [text], { ending: '.jsonl' });
    const from = Date.parse('2026-08-06T03:46:29Z') * 1000;
    expect(marketRows(imported).map(({ row }) => row.at - from)).toEqual([22_001, 48_720]);
    expect(imported.report.facts.assumptions.join(' ')).not.toContain('whole seconds');
  });

  it('a capture with message times is dated the same when its deltas are read from their bytes', async () => {
    const changes = Array.from({ length: 700 }, (_, each) => within(changeOf(2 + each), SECOND + each));
    const imported = await importTexts('feed-jsonl', [linesOf(book, ...changes)], { ending: '.jsonl' });
    expect(imported.report.findings).toEqual([]);
    expect(imported.report.facts).toMatchObject({ from: MS * 1000, to: (MS + 699_000) * 1000 });
  });
});
