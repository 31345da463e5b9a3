// A recording holds public data only, and nothing of an account.
import { describe, expect, it } from 'vitest';
import { NOTHING_RESTORED, type RestoredState } from '../../../src/domain/operator-order.ts';
import type { Command, ReadTarget } from '../../../src/domain/venue-command.ts';
import { ticker } from '../../../src/domain/ids.ts';
import { botConfigSchema } from '../../../src/config/bot-config.ts';
import { parseYaml } from '../../../src/config/yaml.ts';
import { cents, micros } from '../../../src/domain/units.ts';
import { logTo } from '../../../src/log.ts';
import { LiveSession } from '../../../src/runtime/session/live-session.ts';
import { systemScheduler } from '../../../src/transport/scheduler.ts';
import { PublicRecorder } from '../../../src/runtime/session/public-recorder.ts';
import type { Input } from '../../../src/venue.ts';
import { M0 } from '../../support/engine/builders.ts';
import { LiveVenue } from '../../support/sessions/live-venue.ts';
import { MemoryDisk } from '../../support/tapes/memory-storage.ts';
import { AT, answer, frame, journalOn, place, read } from '../../support/tapes/journal-entries.ts';

function recorder() {
  const written: (Input | readonly Command[])[] = [];
  const tape = {
    writeInput: (input: Input) => void written.push(input),
    writeNotices: () => expect.unreachable('notices are private'),
    writeCommands: (commands: readonly Command[]) => void written.push(commands),
  };
  const publicPart = (bytes: Uint8Array) => (new TextDecoder().decode(bytes).includes('secret') ? null : bytes);
  return { written, recorder: new PublicRecorder({ tape, publicPart }) };
}

const ok = { type: 'answered', status: 200, body: '{}', retryAfter: null, venueAt: null } as const;
const reading = (target: ReadTarget) => ({ ...read(4), target });

describe('a recorder', () => {
  it('writes public reads, their answers, and feed commands', () => {
    const { recorder: it, written } = recorder();
    const asked = reading({ what: 'market', ticker: ticker('RAIN-26-A') });
    const base = { lane: 'read', id: 5, createdAt: micros(AT), validUntil: null } as const;
    const subscribe: Command = { ...base, type: 'subscribe', tickers: [ticker('RAIN-26-A')] };
    it.writeCommands([asked, subscribe]);
    it.writeInput(answer(asked, ok));
    expect(written).toEqual([[asked, subscribe], answer(asked, ok)]);
    expect(it.counts).toMatchObject({ answers: 1, keptOut: 0 });
  });

  it.each([
    { what: 'balance' },
    { what: 'positions' },
    { what: 'limits' },
    { what: 'orders', status: 'any', since: null },
    { what: 'fills', since: null },
    { what: 'settlements', since: null },
  ] satisfies ReadTarget[])('leaves out a read of $what and its answer', (target) => {
    const { recorder: it, written } = recorder();
    const asked = reading(target);
    it.writeCommands([asked]);
    it.writeInput(answer(asked, ok));
    expect(written).toEqual([[]]);
    expect(it.counts).toMatchObject({ answers: 0, keptOut: 1 });
  });

  it('leaves out orders, their answers, and private frames', () => {
    const { recorder: it, written } = recorder();
    it.writeCommands([place(9)]);
    it.writeInput(answer(place(9), ok));
    it.writeInput(frame('{"type":"fill","secret":1}'));
    it.writeInput(frame('{"type":"trade"}'));
    expect(written).toEqual([[], frame('{"type":"trade"}')]);
    expect(it.counts).toMatchObject({ frames: 1, keptOut: 2 });
  });

  it('writes that a session began, but not the state restored from earlier sessions', () => {
    const { recorder: it, written } = recorder();
    const halt = { scope: { type: 'account' }, by: 'operator', reason: 'mine', at: micros(1) } as const;
    const carried = { ...NOTHING_RESTORED, halts: [halt] } as unknown as RestoredState;
    it.writeInput({ type: 'event', event: { kind: 'start', at: micros(AT), session: 's1', carried } });
    it.writeInput({ type: 'event', event: { kind: 'timer', at: micros(AT) } });
    expect(written).toEqual([
      { type: 'event', event: { kind: 'start', at: AT, session: 's1', carried: NOTHING_RESTORED } },
    ]);
  });

  it('counts a lost connection once, however often reconnecting fails', () => {
    const { recorder: it } = recorder();
    const down: Input = { type: 'feed-down', at: micros(AT), reason: 'gone' };
    for (const input of [down, { type: 'feed-up', at: micros(AT), connection: 1 } as const, down, down])
      it.writeInput(input);
    expect(it.counts).toMatchObject({ feedLosses: 1, isFeedUp: false });
  });
});

describe('a recording whose disk is full', () => {
  it('ends as a fault, and requests nothing of an account', async () => {
    const venue = new LiveVenue();
    const disk = new MemoryDisk();
    disk.faults = { capacityBytes: 20_000 };
    const storage = disk.open();
    const tape = journalOn(storage, { of: 'recording', timers: systemScheduler });
    const config = parseYaml('venue: { url: http://localhost }\nmarkets: { events: [EVENT] }\nlog: { file: a.log }\n', {
      file: 'bot.yaml',
      schema: botConfigSchema,
    });
    const log = logTo({ write: () => undefined }, 'silent');
    const journal = new PublicRecorder({ tape, publicPart: (bytes) => bytes });
    const session = new LiveSession({ config, venue, strategies: [], hasKey: false, clock: venue.clock, log, journal });
    await session.start();
    const telling = setInterval(
      () => venue.changeVenue((scripted) => scripted.changeLevel(M0, 'bid', { price: cents(45), change: 100 })),
      1,
    );
    await session.mustStop;
    clearInterval(telling);
    const end = await session.stop('over', 1000);
    expect(end).toMatchObject({ type: 'fault', ordersLeft: 0 });
    expect(String(end.type === 'fault' && end.fault)).toContain('ENOSPC');
    const isPrivate = (what: string): boolean => ['orders', 'fills', 'balance', 'positions'].includes(what);
    expect(venue.requests.filter((each) => each.type !== 'read' || isPrivate(each.target.what))).toEqual([]);
  });
});
