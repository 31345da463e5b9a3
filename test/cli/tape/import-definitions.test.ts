// Definitions of markets for imported data: answers of the venue as JSON, or our own YAML.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDefinitions } from '../../../src/cli/tape/import-definitions.ts';
import { captureWire } from '../../../src/venues/trade-api/captures/capture-dialects.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-definitions-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function reading(name: string, text: string) {
  const file = join(folder, name);
  writeFileSync(file, text);
  return readDefinitions([file], captureWire);
}

const YAML = `
series:
  - { ticker: RAIN, title: Rain, category: Weather, feeType: quadratic, feeMultiplier: 0.5 }
eventGroups:
  - { ticker: RAIN-26, series: RAIN, title: Rain in 26, exclusive: true }
markets:
  - ticker: RAIN-26-A
    eventGroup: RAIN-26
    grid: deci_cent
    opensAt: 2026-01-01T00:00:00Z
    closesAt: 2026-01-02T00:00:00Z
    strike: { type: greater, floor: 3 }
    result: scalar
    settlementValue: 0.35
    determinedAt: 2026-01-02T01:00:00Z
    settlesAfter: 1h
`;

/** A market in the venue’s format. */
const MARKET = {
  ticker: 'RAIN-26-A',
  event_ticker: 'RAIN-26',
  status: 'active',
  open_time: '2026-01-01T00:00:00Z',
  close_time: '2026-01-02T00:00:00Z',
};

describe('readDefinitions', () => {
  it('reads YAML', () => {
    expect(reading('a.yaml', YAML)).toMatchObject({
      notRead: {},
      definitions: {
        series: [{ ticker: 'RAIN', feeType: 'quadratic', feeMultiplierPercent: 50 }],
        groups: [{ eventTicker: 'RAIN-26', seriesTicker: 'RAIN', isExclusive: true }],
        markets: [
          {
            ticker: 'RAIN-26-A',
            title: 'RAIN-26-A',
            grid: { cellCount: 999 },
            openAt: Date.parse('2026-01-01T00:00:00Z') * 1000,
            determinedAt: Date.parse('2026-01-02T01:00:00Z') * 1000,
            result: 'scalar',
            settlementValue: 3500,
            settlementDelay: 3_600_000_000,
            strike: { type: 'greater', floor: 3, cap: null },
          },
        ],
      },
    });
  });

  it('reads the time of a market’s payout from YAML', () => {
    const paid = `${YAML}    settledAt: 2026-01-02T13:00:00Z\n`;
    const { markets } = reading('paid.yaml', paid).definitions;
    expect(markets).toMatchObject([{ settledAt: Date.parse('2026-01-02T13:00:00Z') * 1000 }]);
    expect(reading('unpaid.yaml', YAML).definitions.markets).toMatchObject([{ settledAt: null }]);
  });

  it.each([
    [
      'a close before the opening',
      YAML.replace('closesAt: 2026-01-02', 'closesAt: 2025-01-02'),
      'closesAt: expected a close after the opening',
    ],
    [
      'a value beside a plain result',
      YAML.replace('result: scalar', 'result: yes'),
      'settlementValue: expected a settlement value with a scalar result',
    ],
    [
      'a payment before its result',
      `${YAML}    settledAt: 2026-01-02T00:30:00Z\n`,
      'settledAt: expected a payment no sooner than the result',
    ],
    ['a word that is not known', `${YAML}moon: full\n`, 'moon'],
  ])('refuses YAML with %s', (_name, text, message) => {
    expect(() => reading('b.yaml', text)).toThrow(message);
  });

  it('reads the venue’s JSON, and counts what it does not read', () => {
    const market = { ...MARKET, moon: 'full' };
    const { definitions, notRead } = reading(
      'c.json',
      JSON.stringify({ markets: [market, { ...market, ticker: 'RAIN-26-B' }, { ...market, status: 1 }] }),
    );
    expect(definitions.markets).toHaveLength(2);
    expect(notRead).toEqual({
      'field market.moon': 2,
      'record market.status (market.status: expected a text, found 1)': 1,
    });
  });

  it('joins several files and folders, and prefers the later definition of a market', () => {
    mkdirSync(join(folder, 'many'));
    const closing = (day: number) => ({ ...MARKET, close_time: `2026-01-0${day}T00:00:00Z` });
    writeFileSync(join(folder, 'many/a.json'), JSON.stringify({ response: { market: closing(2) } }));
    writeFileSync(join(folder, 'many/b.json'), JSON.stringify([closing(3), { ...MARKET, ticker: 'RAIN-26-B' }]));
    writeFileSync(join(folder, 'many/c.txt'), 'not read');
    writeFileSync(join(folder, 'rain.yaml'), YAML);
    const closesOf = (...places: string[]) =>
      readDefinitions(places, captureWire).definitions.markets.map(({ ticker, closeAt }) => [
        ticker,
        new Date(closeAt / 1000).getUTCDate(),
      ]);
    expect(closesOf(join(folder, 'many'))).toEqual([
      ['RAIN-26-A', 3],
      ['RAIN-26-B', 2],
    ]);
    expect(closesOf(join(folder, 'many/b.json'), join(folder, 'many/a.json'))).toEqual([
      ['RAIN-26-A', 2],
      ['RAIN-26-B', 2],
    ]);
    expect(closesOf(join(folder, 'many'), join(folder, 'rain.yaml'))).toHaveLength(2);
  });

  it('refuses a place where nothing is, by the name of the place', () => {
    const place = join(folder, 'nowhere');
    expect(() => readDefinitions([place], captureWire)).toThrow(
      `--markets: expected a file or folder that can be read, found ENOENT: ${place}`,
    );
  });

  it('refuses a file with broken JSON', () => {
    expect(() => reading('d.json', 'markets: []')).toThrow(
      '--markets: expected JSON, or YAML in a file that ends in .yaml or .yml, found text that is not JSON',
    );
  });
});
