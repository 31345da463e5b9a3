// One moment seen through facts that were stored by hand.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FactStore } from '../../src/why/fact-store.ts';
import { checkHalt, checkStatus } from '../../src/why/checks/session-checks.ts';
import { type Verdict, WhyMoment } from '../../src/why/why-moment.ts';
import type { FactData, SessionFacts } from '../../src/why/why-facts.ts';

const SESSION: SessionFacts = {
  session: 's',
  fromUs: 0,
  toUs: 100,
  inputs: 1,
  version: '1',
  hash: '',
  strategies: ['maker'],
  end: null,
  isOver: true,
  position: null,
  hole: null,
  difference: null,
};
const halt = (reason: string): FactData<'halts'>['halts'][number] => ({
  scope: { type: 'account' },
  by: 'risk',
  reason,
  since: 10,
});

let store: FactStore;
beforeEach(() => (store = FactStore.createStore()));
afterEach(() => store.close());

describe('the end of a cause', () => {
  it('is found among several changes at one time', () => {
    const haltsAt = (atUs: number, halts: FactData<'halts'>['halts']): void =>
      void store.addFact({ kind: 'halts', atUs, seq: 1, data: { halts } });
    haltsAt(10, [halt('loss')]);
    haltsAt(30, [halt('loss'), halt('rejects')]);
    haltsAt(30, []);
    const moment = new WhyMoment({ store, session: SESSION, strategy: 'maker', ticker: 'M', atUs: 11, windowUs: 10 });
    const verdict: Verdict = checkHalt(moment);
    expect(verdict).toMatchObject({ result: 'fail', sinceUs: 10, untilUs: 30, next: 'it was resumed' });
  });
});

describe('the begin of a status', () => {
  it('is when the market took the status, although another of its figures changed later', () => {
    const marketAt = (atUs: number, status: string, closeAtUs: number): void =>
      void store.addFact({
        kind: 'market',
        atUs,
        seq: 1,
        ticker: 'M',
        data: { status, closeAtUs, eventTicker: 'E', title: 'Rain' },
      });
    marketAt(5, 'active', 90);
    marketAt(10, 'paused', 90);
    marketAt(20, 'paused', 80);
    marketAt(30, 'active', 80);
    const moment = new WhyMoment({ store, session: SESSION, strategy: 'maker', ticker: 'M', atUs: 21, windowUs: 4 });
    expect(checkStatus(moment)).toMatchObject({ result: 'fail', sinceUs: 10, untilUs: 30 });
  });
});
