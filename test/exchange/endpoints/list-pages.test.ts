// Pages of lists whose rows come, go, and are shown or hidden between two pages.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ticker } from '../../../src/domain/ids.ts';
import { pageOf } from '../../../src/exchange/endpoints/list-pages.ts';
import type { PageRecord } from '../../../src/venues/trade-api/wire/wire-records.ts';
import { KalshiHarness } from '../api/kalshi-harness.ts';
import { definitionOf, seconds } from '../exchange-harness.ts';

interface Row {
  readonly key: string;
  isListed: boolean;
}

/** Changes between two pages: new rows come at the front, and rows at some places are shown or hidden. */
const anyChange = fc.record({
  added: fc.array(fc.boolean(), { maxLength: 2 }),
  toggled: fc.array(fc.nat({ max: 30 })),
});

describe('pages', () => {
  it('show each row once that is in the list all the time, and no row twice, whatever is shown or hidden meanwhile', () => {
    const scene = fc.record({
      first: fc.array(fc.boolean(), { maxLength: 20 }),
      changes: fc.array(anyChange, { minLength: 30, maxLength: 30 }),
      limit: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(scene, ({ first, changes, limit }) => {
        let count = 0;
        const rowOf = (isListed: boolean): Row => ({ key: `row-${++count}`, isListed });
        let rows = first.map(rowOf);
        const always = new Set(rows.filter(({ isListed }) => isListed).map(({ key }) => key));
        const seen: string[] = [];
        let cursor: string | null = null;
        for (const { added, toggled } of changes) {
          const query = { limit, cursor };
          const page: PageRecord<Row> = pageOf(rows, {
            query,
            list: 'markets',
            keyOf: ({ key }) => key,
            isListed: ({ isListed }) => isListed,
          });
          seen.push(...page.rows.map(({ key }) => key));
          ({ cursor } = page);
          if (cursor === null) break;
          for (const place of toggled) {
            const row = rows[place];
            if (row === undefined) continue;
            row.isListed = !row.isListed;
            always.delete(row.key);
          }
          rows = [...added.map(rowOf), ...rows];
        }
        expect(cursor).toBeNull();
        expect(new Set(seen).size).toBe(seen.length);
        for (const key of always) expect(seen).toContain(key);
      }),
    );
  });

  it('of open markets skip none when one closes and another opens between two pages', () => {
    const harness = new KalshiHarness();
    for (const name of ['M1', 'M2', 'M3', 'M4', 'M5']) {
      const openAt = seconds(name === 'M1' ? 30 : 0);
      harness.session.submit({ type: 'define-market', market: definitionOf(name, { openAt }) });
    }
    harness.advance(1);
    const pageAfter = (cursor: string) =>
      harness.requestNow(null, `GET /markets?status=open&event_ticker=RAIN-26&limit=2&cursor=${cursor}`).body;
    const first = pageAfter('');
    harness.session.submit({ type: 'close', ticker: ticker('M4') });
    harness.advance(60_000);
    const pages = [first];
    for (let cursor = first.text('cursor'); cursor !== ''; cursor = pages.at(-1)?.text('cursor') ?? '')
      pages.push(pageAfter(cursor));
    const names = pages.map((page) => page.rows('markets').map((row) => row.at('ticker')));
    expect(names).toEqual([['M5', 'M4'], ['M3', 'M2'], ['M1', 'B'], ['A']]);
  });

  it('of transfers end, also when a client gave two transfers out of different accounts the same id', () => {
    const harness = new KalshiHarness();
    harness.requestNow('ann', 'POST /portfolio/subaccounts', {});
    const transfers = [
      { client_transfer_id: 'first', from_subaccount: 0, to_subaccount: 1, amount_cents: 400 },
      { client_transfer_id: 'same', from_subaccount: 0, to_subaccount: 1, amount_cents: 300 },
      { client_transfer_id: 'other', from_subaccount: 0, to_subaccount: 1, amount_cents: 200 },
      { client_transfer_id: 'same', from_subaccount: 1, to_subaccount: 0, amount_cents: 100 },
    ];
    for (const body of transfers) {
      expect(harness.requestNow('ann', 'POST /portfolio/subaccounts/transfer', body).status).toBe(200);
      harness.advance(10);
    }
    const amounts: unknown[] = [];
    let cursor = '';
    for (let page = 0; page < 10 && (page === 0 || cursor !== ''); page++) {
      const { body } = harness.requestNow('ann', `GET /portfolio/subaccounts/transfers?limit=1&cursor=${cursor}`);
      amounts.push(...body.rows('transfers').map((row) => row.at('amount_cents')));
      cursor = body.text('cursor');
    }
    expect(amounts).toEqual([100, 200, 300, 400]);
  });
});
