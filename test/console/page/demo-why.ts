// tidy: table. Made-up answers to "why" for the page's tests and screenshots.
import type { WhyAnswer, WhyOrder } from '../../../src/why/why-answer.ts';
import { MINUTE_US } from './demo-markets.ts';

/** An answer for a denied order. `text` is put into the sentence. */
export function demoWhy({
  ticker,
  strategy,
  atUs,
  text,
}: {
  ticker: string;
  strategy: string;
  atUs: number;
  text: string;
}): WhyAnswer {
  const pass = (check: string, said: string): WhyAnswer['steps'][number] => ({
    check,
    result: 'pass',
    text: said,
    figures: {},
  });
  return {
    session: '20261123-110000',
    strategy,
    ticker,
    atUs,
    isTraded: false,
    sentence:
      `${strategy} did not quote ${ticker} because its order would have cost 62.00 in its group, where 60.00 is allowed. ${text}`.trim(),
    steps: [
      pass('session', 'trading since 11:00:04'),
      pass('halt', 'nothing was halted'),
      pass('selection', 'its selector took the market'),
      pass('market', 'open, closes in 3 h'),
      pass('book', 'live, 0.3 s old'),
      pass('answer', 'asked 0.2 s before, answered quote 43/46'),
      {
        check: 'denial',
        result: 'fail',
        text: 'group-cost-above-limit',
        figures: { cost: '62.00', allowed: '60.00', group: 'RAIN-OSLO-26NOV23' },
      },
      { check: 'budget', result: 'not reached', text: 'the order was not made', figures: {} },
      { check: 'venue', result: 'not reached', text: 'the order was not sent', figures: {} },
    ],
    sinceUs: atUs - 4 * MINUTE_US,
    times: 97,
    untilUs: atUs + 3 * MINUTE_US,
    next: 'it quoted 43/46',
    minutes: Array.from({ length: 41 }, (_, at) => {
      const isTraded = at < 12 || at > 23;
      return {
        atUs: atUs - (20 - at) * MINUTE_US,
        check: isTraded ? null : 'denial',
        text: isTraded ? 'quoted' : 'denied group-cost-above-limit',
      };
    }),
    evidence: [
      { seq: 48_211, text: 'book of the market: bid 43 × 50, ask 46 × 120' },
      { seq: 48_212, text: 'intent of quoter: quote 43/46 × 5' },
    ],
    source: 'replay',
    tookMs: 412,
  };
}

/** The chain of an order. */
export const demoChain = (id: string, atUs: number): WhyOrder => ({
  session: '20261123-110000',
  clientOrderId: id,
  strategy: 'quoter',
  ticker: 'RAIN-OSLO-26NOV23-T0',
  sentence:
    'quoter bought 5 at 43, 41 ms after the frame that caused it; the order rested for 12 s with 12 contracts before it.',
  hops: [
    { atUs, afterUs: null, what: 'frame', text: 'ask 46 → 47', seq: 48_190 },
    { atUs: atUs + 90, afterUs: 90, what: 'asked', text: 'onBook of quoter', seq: null },
    { atUs: atUs + 140, afterUs: 50, what: 'intent', text: 'quote 43/46 × 5: mid 44.5, edge 1.5', seq: 48_191 },
    { atUs: atUs + 320, afterUs: 180, what: 'sent', text: 'lane quotes, 236 of 300 tokens', seq: 48_192 },
    {
      atUs: atUs + 41_000,
      afterUs: 40_680,
      what: 'acknowledged',
      text: 'working, 12 contracts before it',
      seq: 48_201,
    },
    { atUs: atUs + 12_000_000, afterUs: 11_959_000, what: 'fill', text: 'bought 5 at 43, fee 0.07', seq: 48_304 },
  ],
  source: 'replay',
  tookMs: 388,
});
