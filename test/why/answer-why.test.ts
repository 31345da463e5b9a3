// Staged sessions, each with one cause: the first sentence of the answer names it.
import { describe, expect, it } from 'vitest';
import { strategyName, ticker } from '../../src/domain/ids.ts';
import { NOTHING_RESTORED } from '../../src/domain/operator-order.ts';
import { cents, micros } from '../../src/domain/units.ts';
import { answerWhy, answerWhyOrder } from '../../src/why/answer-why.ts';
import { CHECK_NAMES } from '../../src/why/checks/why-verdict.ts';
import type { Handlers } from '../../src/strategy/strategy-definition.ts';
import { whyAnswerSchema, whyOrderSchema } from '../../src/why/why-answer.ts';
import { WhyFault } from '../../src/why/why-fault.ts';
import { M0 } from '../support/engine/builders.ts';
import { MemoryDisk } from '../support/tapes/memory-storage.ts';
import { CASES, moveTouch } from './staged-cases.ts';
import { stagedMaker } from './staged-maker.ts';
import { type StageOptions, StagedSession, VERSION } from './staged-session.ts';

/** A session that has traded. */
async function traded(options: StageOptions = {}): Promise<StagedSession> {
  return (await StagedSession.open(options)).startTrading();
}

describe('the cause of no trade', () => {
  it.each(CASES)('is $name', async ({ options, act, agoMs, cause, check, timesMin }) => {
    const session = await StagedSession.open(options);
    act(session);
    const answer = await session.why('M-0', agoMs);
    expect(answer.sentence).toMatch(/^At 00:16:\d\d\.\d{3}Z maker did not trade M-0 because /);
    expect(answer.sentence).toMatch(cause);
    expect(answer).toMatchObject({ isTraded: false, source: 'replay', session: 's', strategy: 'maker' });
    expect(answer.times).toBeGreaterThanOrEqual(timesMin ?? 1);
    expect(whyAnswerSchema.parse(answer)).toEqual(answer);
    const failed = answer.steps.findIndex(({ result }) => result === 'fail');
    expect(answer.steps.map((step) => step.check)).toEqual(CHECK_NAMES);
    expect(answer.steps[failed]?.check).toBe(check);
    expect(answer.steps.slice(failed + 1).every(({ result }) => result === 'not reached')).toBe(true);
    expect(answer.evidence.length).toBeGreaterThan(0);
    expect(answer.evidence.filter(({ text }) => /:\s*$/.test(text))).toEqual([]);
  });

  it('is that nothing changed, when the strategy was not called', async () => {
    const session = await traded({ params: { mode: 'silent' } });
    session.run(9000);
    expect((await session.why()).sentence).toMatch(
      /because the touch of M-0 had not changed since .*, so maker was not/,
    );
  });

  it('is that the strategy wanted no order, with its reason', async () => {
    const session = await traded({ params: { mode: 'pull' } });
    session.run(500);
    expect((await session.why()).sentence).toMatch(/because maker wanted no order at .*: .* \(one-sided book\)/);
  });

  it('is that its orders rest, while it asks for the same', async () => {
    const session = await traded();
    session.run(2000);
    moveTouch(session);
    const { sentence, steps } = await session.why();
    expect(sentence).toMatch(/because its orders already rested: (buy|sell) 5 at \d+¢, (buy|sell) 5 at \d+¢/);
    expect(steps.find(({ result }) => result === 'fail')?.check).toBe('change');
  });

  it('is the failure of the strategy', async () => {
    const session = await traded({ params: { mode: 'fail' } });
    session.run(2000);
    const { sentence, steps } = await session.why();
    expect(sentence).toMatch(/because maker was halted at .* because it failed: .*no fair value/);
    expect(steps.find(({ result }) => result === 'fail')?.check).toBe('strategy');
  });

  it.each([
    { scope: { type: 'strategy', strategy: strategyName('maker') } as const, who: 'maker' },
    { scope: { type: 'market', ticker: ticker('M-0') } as const, who: 'M-0' },
  ])('is a halt of $who, and the answer says when it was resumed', async ({ scope, who }) => {
    const session = await traded();
    session.run(500);
    session.step({ kind: 'operator', at: session.now, order: { type: 'halt', scope, by: 'operator', reason: 'odd' } });
    session.run(3000);
    session.step({ kind: 'operator', at: session.now, order: { type: 'resume', scope, reason: 'well' } });
    const resumedAt = session.now;
    session.run(2000);
    const answer = await session.why('M-0', 3500);
    expect(answer.sentence).toContain(`${who} was halted by the operator`);
    expect(answer).toMatchObject({ untilUs: resumedAt, next: 'it was resumed' });
  });

  it('is the phase of a session that does not trade yet', async () => {
    const session = await StagedSession.open();
    session.start();
    session.run(1);
    const { sentence, next } = await session.why();
    expect(sentence).toMatch(/because the session was \w+ since .*; orders leave only while it is trading/);
    expect(next).toBeNull();
  });
});

describe('an order sent in the asked second', () => {
  it('ends the list with what it did', async () => {
    const session = await traded();
    const { sentence, isTraded, steps, minutes } = await session.why('M-0', 50);
    expect(isTraded).toBe(true);
    expect(sentence).toMatch(
      /^At 00:16:40\.000Z maker traded M-0: buy 5 of M-0 at 40¢ was working from .* with 10 cont/,
    );
    expect(steps.every(({ result }) => result !== 'fail')).toBe(true);
    expect(minutes).toMatchObject([{ check: null }]);
  });

  it('names its fill, the fee, and the time since its cause', async () => {
    const session = await traded();
    session.venue.tradeOrder(session.venue.resting()[0]!, 200);
    session.run(10);
    const { sentence } = await session.why('M-0', 60);
    expect(sentence).toMatch(/maker traded M-0: it bought 2 at 40¢ \(fee \$[\d.]+\), \d+ ms after its cause/);
  });
});

describe('the chain of an order', () => {
  it('goes from its cause to its last fill, each hop with its time and its entry', async () => {
    const session = await traded();
    session.venue.tradeOrder(session.venue.resting()[0]!, 200);
    session.run(100);
    session.venue.tradeOrder(session.venue.resting()[0]!, 300);
    session.run(100);
    await session.close();
    const [place] = session.places();
    const chain = await answerWhyOrder(session.source(), { clientOrderId: place!.clientOrderId });
    expect(whyOrderSchema.parse(chain)).toEqual(chain);
    const hops = chain.hops.map(({ what }) => what);
    expect(hops.slice(0, 5)).toEqual(['cause', 'intent', 'risk', 'in-flight', 'working']);
    expect(hops.filter((what) => what === 'fill')).toHaveLength(2);
    expect(hops).toContain('filled');
    expect(chain.sentence).toMatch(
      /^maker wanted to buy 5 at 40¢ in M-0, and it was filled \(traded\), with 5 of 5 filled\.$/,
    );
    expect(chain.hops.every(({ atUs, afterUs }, at) => at === 0 || afterUs === atUs - chain.hops[at - 1]!.atUs)).toBe(
      true,
    );
    expect(chain.hops.find(({ what }) => what === 'working')?.text).toContain('10 contracts before it');
  });

  it('names the terms to which an amend moved it, and the answers about a later time know its new price', async () => {
    const session = await traded({ params: { mode: 'follow' }, orders: { moveQuotesBy: 'amend' } });
    session.run(3000);
    session.venue.changeLevel(M0, 'bid', { price: cents(46), change: 500 });
    session.run(100);
    expect(session.commands('amend')).toHaveLength(1);
    const moved = await session.why('M-0', 50);
    const [place] = session.places();
    const chain = await answerWhyOrder(session.source(), { clientOrderId: place!.clientOrderId });
    expect(chain.hops.map(({ text }) => text)).toEqual(
      expect.arrayContaining([
        'working -> pending-amend: amend requested: 5 at 41¢',
        expect.stringMatching(/^pending-amend -> working: amended/),
      ]),
    );
    expect(moved.sentence).toMatch(/: buy 5 of M-0 at 41¢ was working from .* with 10 contracts before it/);
  });

  it('ends, for an order that outlived its session, with the time of the last entry and where later news is', async () => {
    const session = await traded();
    const [place] = session.places();
    const { clientOrderId } = place!;
    await session.close();
    const { sentence } = await answerWhyOrder(session.source(), { clientOrderId });
    expect(sentence).toBe(
      'maker wanted to buy 5 at 40¢ in M-0, and it was working (seen at the venue), with 0 of 5 filled, at the last entry of session s, 1970-01-01T00:16:40.050Z; `presage orders` shows what later sessions learned of it.',
    );
  });

  it('is refused for an order that was never sent, with the nearest ids', async () => {
    const session = await traded();
    await session.close();
    const asked = (clientOrderId: string) => answerWhyOrder(session.source(), { clientOrderId });
    await expect(asked('s-0-zz')).rejects.toThrow(/no order "s-0-zz"; nearest ids: s-0-/);
    await expect(asked('other-0-1')).rejects.toThrow(/expected an id that begins with the name of a session .*\(s\)/);
  });

  it('names the last sessions of a journal of many, as the last', async () => {
    const first = await traded();
    await first.close();
    const source = first.source();
    for (const session of ['t', 'u', 'v']) {
      const next = await StagedSession.open({ storage: source.journal });
      next.step({ kind: 'start', at: next.now, session, carried: NOTHING_RESTORED });
      await next.close();
    }
    await expect(answerWhyOrder(source, { clientOrderId: 'other-0-1' })).rejects.toThrow(
      /\(the last 3 of 4: t, u, v\)/,
    );
  });
});

describe('a question that has no such answer', () => {
  it('says that no bot ran, which session ended before, and how', async () => {
    const session = await traded();
    await session.close();
    const asked = async (atUs: number) => (await answerWhy(session.source(), { ticker: 'M-0', atUs }))[0]!;
    expect(await asked(session.now + 60_000_000)).toMatchObject({
      session: null,
      sentence:
        'No bot ran at 1970-01-01T00:17:40.050Z: the session before, s, ended at 1970-01-01T00:16:40.050Z (done), none began later.',
    });
    expect((await asked(5_000_000)).sentence).toBe(
      'No bot ran at 1970-01-01T00:00:05.000Z: no session had begun before, the next began at 1970-01-01T00:16:40.000Z.',
    );
  });

  it('says that no bot ran after a kill, though the next session began within seconds', async () => {
    const killed = await traded();
    killed.flushJournal();
    const source = killed.source();
    const asked = async (atUs: number) => (await answerWhy(source, { ticker: 'M-0', atUs }))[0]!;
    const { now } = killed;
    // The last session of a journal may be running, its last entries not written yet.
    expect((await asked(now + 3_000_000)).session).toBe('s');
    const next = await StagedSession.open({ storage: source.journal });
    next.now = micros(now + 5_000_000);
    next.step({ kind: 'start', at: next.now, session: 'next', carried: NOTHING_RESTORED });
    next.flushJournal();
    expect(await asked(now + 3_000_000)).toMatchObject({
      session: null,
      sentence:
        'No bot ran at 1970-01-01T00:16:43.050Z: the session before, s, ended at 1970-01-01T00:16:40.050Z (without closing its journal), the next began at 1970-01-01T00:16:45.050Z.',
    });
    expect((await asked(now)).session).toBe('s');
  });

  it('names markets near a wrong one', async () => {
    const session = await traded();
    const { sentence, steps } = await session.why('M-O', 10);
    expect(sentence).toContain('did not trade M-O because no market M-O was in this session; nearest names: M-0');
    expect(steps.find(({ result }) => result === 'fail')?.check).toBe('market');
  });

  it('is refused for an unknown strategy or session, with the known ones', async () => {
    const session = await traded();
    await session.close();
    const asked = (over: object) => answerWhy(session.source(), { ticker: 'M-0', atUs: session.now, ...over });
    await expect(asked({ strategy: 'taker' })).rejects.toThrow('expected one of maker, found "taker"');
    await expect(asked({ session: 'x' })).rejects.toThrow(/expected one of the journal's, such as s, found "x"/);
  });

  it('is refused for a journal of another version, which it names', async () => {
    const session = await traded();
    await session.close();
    const asked = answerWhy(session.source({ version: '10.0.0' }), { ticker: 'M-0', atUs: session.now });
    await expect(asked).rejects.toThrow(`npx presage-trading@${VERSION} why`);
    await expect(asked).rejects.toThrow(WhyFault);
  });

  it('is refused once its signal is given', async () => {
    const session = await traded();
    await session.close();
    const options = { signal: AbortSignal.abort() };
    await expect(answerWhy(session.source(), { ticker: 'M-0', atUs: session.now }, options)).rejects.toThrow(/stopped/);
  });
});

/** The journal of a session, changed at one byte of one line. */
async function damaged(session: StagedSession, line: number): Promise<MemoryDisk> {
  await session.close();
  const name = '00000001.tape';
  const bytes = Buffer.from(session.disk.read(name));
  let at = 0;
  for (let passed = 0; passed < line; passed++) at = bytes.indexOf(10, at) + 1;
  bytes[at + 30] = (bytes[at + 30] ?? 0) ^ 1;
  const disk = new MemoryDisk();
  disk.write(name, bytes);
  return disk;
}

describe('a damaged journal', () => {
  it('answers before the damage, and names it after', async () => {
    const session = await traded();
    session.run(5000);
    const disk = await damaged(session, 45);
    const journal = disk.open();
    const asked = async (agoMs: number) => {
      const question = { ticker: 'M-0', atUs: session.now - agoMs * 1000 };
      return (await answerWhy(session.source({ journal }), question))[0]!;
    };
    expect((await asked(5050)).isTraded).toBe(true);
    const { sentence, steps } = await asked(10);
    expect(sentence).toMatch(/because the journal is damaged after .*: .*line 46.* expected checksum/);
    expect(steps.find(({ result }) => result === 'fail')?.check).toBe('journal');
    // The session may have run for hours after the damage.
    expect((await asked(-3_600_000)).sentence).toMatch(/because the journal is damaged after .*line 46/);
  });

  it('answers from a journal whose last line is torn', async () => {
    const session = await traded();
    await session.close();
    const bytes = session.disk.read('00000001.tape');
    const disk = new MemoryDisk();
    disk.write('00000001.tape', bytes.subarray(0, bytes.length - 20));
    const question = { ticker: 'M-0', atUs: session.now - 50_000 };
    const [answer] = await answerWhy(session.source({ journal: disk.open() }), question);
    expect(answer).toMatchObject({ isTraded: true, source: 'replay' });
  });

  it('answers from the record alone once the replay differs', async () => {
    const session = await traded();
    await session.close();
    const strategies = () => Promise.resolve([stagedMaker.bind(strategyName('maker'), { bidCents: 41 })]);
    const question = { ticker: 'M-0', atUs: session.now - 10_000 };
    const [answer] = await answerWhy(session.source({ strategies }), { ...question, atUs: session.now - 45_000 });
    expect(answer).toMatchObject({ source: 'record' });
    expect(answer?.sentence).toMatch(/the journal has .*; the replay differs from the journal since 00:16:40/);
  });

  it('names the recorded terms of an order once the replay differs, and not those of the replay', async () => {
    const session = await traded();
    await session.close();
    const strategies = () => Promise.resolve([stagedMaker.bind(strategyName('maker'), { bidCents: 41 })]);
    for (const { clientOrderId, side, price } of session.places()) {
      const chain = await answerWhyOrder(session.source({ strategies }), { clientOrderId });
      expect(chain).toMatchObject({ source: 'record', hops: [{ what: 'difference' }, { what: 'sent' }] });
      expect(chain.hops[0]?.text).toMatch(/"price":4000.* the replay has .*"price":4100/);
      expect(chain.sentence).toContain(
        `maker sent an order to ${side} 5 at ${price / 100}¢ in M-0; the replay differs`,
      );
    }
  });

  it('says of an order only what was known before the replay differed', async () => {
    const session = await traded({ params: { mode: 'follow' } });
    session.run(3000);
    moveTouch(session);
    session.venue.changeLevel(M0, 'bid', { price: cents(46), change: 500 });
    session.run(3000);
    await session.close();
    const [place] = session.places();
    const { clientOrderId } = place!;
    const whole = await answerWhyOrder(session.source(), { clientOrderId });
    expect(whole.sentence).toMatch(/it was canceled/);
    const bound = stagedMaker.bind(strategyName('maker'), { mode: 'follow' });
    const onBook: Handlers['onBook'] = (event, view) =>
      view.book(event.market).bestBid === cents(46) ? [] : bound.handlers.onBook?.(event, view);
    const strategies = () => Promise.resolve([{ ...bound, handlers: { ...bound.handlers, onBook } }]);
    const chain = await answerWhyOrder(session.source({ strategies }), { clientOrderId });
    expect(chain.sentence).toMatch(
      /it was working .*, until the replay differed from the journal at .*; `presage orders` shows its later states\.$/,
    );
  });
});
