// A session takes over orders of earlier sessions that were sent and whose outcome the tape does not hold.
import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../../src/domain/event.ts';
import { NOTHING_UNRESOLVED } from '../../../src/domain/operator-order.ts';
import { micros } from '../../../src/domain/units.ts';
import { readUnresolved } from '../../../src/runtime/saved/unresolved-orders.ts';
import type { Answer, Normalizer } from '../../../src/venue.ts';
import { MemoryDisk } from '../../support/tapes/memory-storage.ts';
import {
  AT,
  type JournalEntry,
  answer,
  frame,
  journalOn,
  place,
  start,
  writeAll,
} from '../../support/tapes/journal-entries.ts';

/** A normalizer for answers and frames that name their event in plain words. */
const plainNormalizer = (): Normalizer => ({
  normalize(input, emit) {
    if (input.type === 'frame') {
      const clientOrderId = new TextDecoder().decode(input.bytes);
      emit({ kind: 'order-updated', at: input.at, order: { clientOrderId } } as unknown as EngineEvent);
    }
    if (input.type !== 'answer' || input.command.type !== 'place') return;
    const { clientOrderId, id } = input.command;
    const kind = input.outcome.type === 'answered' ? input.outcome.body : `order-${input.outcome.type}`;
    emit({ kind, at: input.at, clientOrderId, commandId: id } as unknown as EngineEvent);
  },
});

const answerOf = (body: string): Answer['outcome'] => ({
  type: 'answered',
  status: 200,
  body,
  retryAfter: null,
  venueAt: null,
});

function unresolvedAfter(...sessions: readonly (readonly JournalEntry[])[]): string[] {
  const disk = new MemoryDisk();
  sessions.forEach((things, number) => {
    const journal = journalOn(disk.open());
    journal.writeInput(start(`s${number}`));
    writeAll(journal, things);
    journal.flush();
  });
  return readUnresolved(disk.open(), plainNormalizer, micros(0)).unresolved.map(({ clientOrderId }) => clientOrderId);
}

describe('the unresolved orders of a tape', () => {
  it('finds no unresolved orders on an empty tape', () => {
    expect(readUnresolved(new MemoryDisk().open(), plainNormalizer, micros(0))).toEqual(NOTHING_UNRESOLVED);
  });

  it('returns the time of death after a session that died, and none after an orderly end', async () => {
    const disk = new MemoryDisk();
    const diedAt = (): unknown => readUnresolved(disk.open(), plainNormalizer, micros(0)).diedAt;
    const first = journalOn(disk.open());
    first.writeInput(start('s1'));
    first.writeInput(frame('x', AT + 7));
    first.flush();
    expect(diedAt()).toBe(AT + 7);
    const second = journalOn(disk.open());
    second.writeInput(start('s2', AT + 10));
    await second.close('stopped');
    expect(diedAt()).toBeNull();
    const third = journalOn(disk.open());
    third.writeInput(start('s3', AT + 20));
    await third.close('timed-out');
    expect(diedAt()).toBe(AT + 20);
  });

  it('finds an order without an answer', () => {
    const disk = new MemoryDisk();
    const journal = journalOn(disk.open());
    journal.writeInput(start('s1'));
    journal.writeCommands([place(1)]);
    const { clientOrderId, ticker, side, price, qty } = place(1);
    expect(readUnresolved(disk.open(), plainNormalizer, micros(AT)).unresolved).toEqual([
      { clientOrderId, ticker, side, price, qty, sentAt: AT },
    ]);
    expect(readUnresolved(disk.open(), plainNormalizer, micros(AT + 1)).unresolved).toEqual([]);
  });

  it.each(['order-accepted', 'order-rejected', 'rate-limited'])(
    'leaves out an order that was answered with %s',
    (kind) => {
      expect(unresolvedAfter([{ commands: [place(1)] }, { input: answer(place(1), answerOf(kind)) }])).toEqual([]);
    },
  );

  it('leaves out an order that certainly was not sent, and finds one that may have been', () => {
    const notSent = { type: 'not-sent', reason: 'x' } as const;
    const unknown = { type: 'unknown', reason: 'x' } as const;
    const sent = { commands: [place(1), place(2)] };
    expect(unresolvedAfter([sent, { input: answer(place(1), notSent) }, { input: answer(place(2), unknown) }])).toEqual(
      [place(2).clientOrderId],
    );
  });

  it('finds an order that was refused for rate and sent again', () => {
    const limited = { input: answer(place(1), answerOf('rate-limited')) };
    expect(unresolvedAfter([{ commands: [place(1)] }, limited, { commands: [place(1)] }])).toEqual([
      place(1).clientOrderId,
    ]);
  });

  it('leaves out an order that the feed reported although its answer was lost', () => {
    const lost = { input: answer(place(1), { type: 'unknown', reason: 'timeout' }) };
    const report = { input: frame(place(1).clientOrderId) };
    expect(unresolvedAfter([{ commands: [place(1)] }, lost, report])).toEqual([]);
  });

  it('finds an order although another session’s request of the same number was answered', () => {
    const other = { ...place(1), clientOrderId: place(9).clientOrderId };
    const sessions = [
      [{ commands: [place(1)] }],
      [{ commands: [other] }, { input: answer(other, answerOf('order-accepted')) }],
    ];
    expect(unresolvedAfter(...sessions)).toEqual([place(1).clientOrderId]);
  });

  it('reads no files that end before the given time', () => {
    const disk = new MemoryDisk();
    const hour = 3_600_000_000;
    const journal = journalOn(disk.open(), { segmentAgeMax: hour });
    journal.writeInput(start('s1'));
    for (let n = 0; n < 5; n++) {
      journal.writeInput(frame('x', AT + n * hour));
      journal.writeCommands([place(n)]);
    }
    // Damage there is not noticed.
    disk.flipBit('00000001.tape', 900);
    const since = micros(AT + 3 * hour);
    expect(readUnresolved(disk.open(), plainNormalizer, since).unresolved.map(({ sentAt }) => sentAt)).toEqual([
      since,
      since + hour,
    ]);
  });
});
