// The exchange's config: the shipped one is valid, defaults are as documented, and every broken one is refused by line and
// column.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseExchangeConfig, readExchangeConfig } from '../../src/config/exchange-config.ts';
import { GRID_NAMES } from '../../src/config/grid-names.ts';
import { ConfigError } from '../../src/base/config-error.ts';
import { cents, contracts, dollars, fromMillis, fromSeconds, micros } from '../../src/domain/units.ts';

const shipped = fileURLToPath(new URL('../../config/exchange.yaml', import.meta.url));

const SMALL = `seed: 1
accounts:
  - name: ann
    cash: 100.25
series:
  - ticker: RAIN
    title: Rain
    category: Weather
eventGroups:
  - ticker: RAIN-26
    series: RAIN
    title: Rain
markets:
  - ticker: RAIN-26-A
    eventGroup: RAIN-26
    title: Will it rain?
    closesIn: 90s
`;

const parse = (text: string) => parseExchangeConfig(text, 'some/exchange.yaml');

/** The message for a text that cannot be used. */
function complaint(text: string): string {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the config was accepted');
}

describe('the exchange config', () => {
  it('the shipped exchange config is valid', () => {
    const config = readExchangeConfig(shipped);
    expect(config.markets).toHaveLength(6);
    expect(config.markets.filter((market) => market.eventGroup === 'CITY-36')).toHaveLength(4);
    expect(config.series[0]).toMatchObject({ feeType: 'quadratic', feeMultiplier: 50 });
    expect(readFileSync(shipped, 'utf8')).not.toMatch(/PRIVATE/);
  });

  it('an exchange config of churning markets is shipped, too', () => {
    const churning = readExchangeConfig(fileURLToPath(new URL('../../config/churn.yaml', import.meta.url)));
    expect(churning.markets).toEqual([]);
    expect(churning.churn[0]).toMatchObject({ series: 'MINUTE', every: fromSeconds(60), exclusive: true, opensIn: 0 });
    expect(churning.forgetsAfter).toBe(fromSeconds(600));
  });

  it('the exchange config reads units exactly and fills in defaults', () => {
    const config = parse(SMALL);
    expect(config.accounts).toEqual([{ name: 'ann', cash: 100_250_000, shards: {}, keys: [] }]);
    expect(config.port).toBe(0);
    expect(config.dataFolder).toBeUndefined();
    expect(config.markets[0]).toMatchObject({
      closesIn: fromSeconds(90),
      settlesAfter: fromSeconds(5),
      grid: 'linear_cent',
      qtyStep: contracts(1),
    });
    expect(config.flow).toMatchObject({ halfSpread: cents(1), agentCash: dollars(1_000_000), makersPerMarket: 2 });
    expect(config.flow.crowdMemory).toBe(fromSeconds(6));
    expect(config.series[0]?.feeMultiplier).toBe(100);
  });

  it('the exchange config takes shards, waivers, a tier, delayed reads and maintenance, all absent by default', () => {
    const bare = parse(SMALL);
    expect(bare).toMatchObject({ readLag: 0, maintenance: [], accounts: [{ shards: {} }], markets: [{ shard: 0 }] });
    expect(bare.tier).toBeUndefined();
    const config = parse(
      `${SMALL.replace('cash: 100.25', 'cash: 100.25\n    shards: { "2": 7 }').replace('closesIn: 90s', 'closesIn: 90s\n    shard: 2\n    feesWaivedUntil: 2027-01-01T00:00:00Z')}tier: advanced\nreadLag: 300ms\nmaintenance: [{ from: 2027-01-01T08:00:00Z, until: 2027-01-01T10:00:00Z }]\n`,
    );
    const at = (hour: number) => micros(Date.UTC(2027, 0, 1, hour) * 1000);
    expect(config.accounts[0]?.shards).toEqual({ '2': dollars(7) });
    expect(config.markets[0]).toMatchObject({ shard: 2, feesWaivedUntil: at(0) });
    expect(config).toMatchObject({
      tier: 'advanced',
      readLag: fromMillis(300),
      maintenance: [{ from: at(8), until: at(10) }],
    });
  });

  it('the exchange config takes times, fractions and limits', () => {
    const config = parse(
      `${SMALL.replace('closesIn: 90s', 'closesAt: 2026-12-31T23:00:00Z\n    opensIn: 250ms\n    probability: 0.425\n    qtyStep: 0.01')}limits:\n  trade: { model: rolling-window, count: 10, windowMs: 1000 }\n`,
    );
    expect(config.markets[0]).toMatchObject({
      closesAt: micros(Date.UTC(2026, 11, 31, 23) * 1000),
      opensIn: fromMillis(250),
      probability: 4250,
      qtyStep: 1,
    });
    expect(config.limits.trade).toEqual({ model: 'rolling-window', count: 10, windowMs: 1000 });
  });

  it.each([
    ['{ type: greater, floor: 30.5 }', { type: 'greater', floor: 30.5, cap: null }],
    ['{ type: less_or_equal, cap: 10 }', { type: 'less_or_equal', floor: null, cap: 10 }],
    ['{ type: between, floor: 10, cap: 20 }', { type: 'between', floor: 10, cap: 20 }],
  ])('the exchange config takes a strike: %s', (text, strike) => {
    const config = parse(SMALL.replace('closesIn: 90s', `closesIn: 90s\n    strike: ${text}`));
    expect(config.markets[0]?.strike).toEqual(strike);
  });

  it('the exchange config takes paths relative to its file', () => {
    const config = parse(
      SMALL.replace('seed: 1', 'seed: 1\ndataFolder: var/log').replace(
        'cash: 100.25',
        'cash: 1\n    keys:\n      - { id: k1, scheme: ed25519, publicKeyFile: ../ann.pem }',
      ),
    );
    expect(config.dataFolder).toBe(resolve('some/var/log'));
    expect(config.accounts[0]?.keys[0]?.publicKeyFile).toBe(resolve('ann.pem'));
  });

  it.each([
    {
      name: 'a shard that is not a number',
      from: 'cash: 100.25',
      to: 'cash: 100.25\n    shards: { zero: 5 }',
      says: 'accounts[0].shards.zero: expected cash by the number of a shard, 1 to 99, found 5',
    },
    {
      name: 'maintenance that ends before it begins',
      from: 'seed: 1\n',
      to: 'seed: 1\nmaintenance: [{ from: 2027-01-01T10:00:00Z, until: 2027-01-01T08:00:00Z }]\n',
      says: 'maintenance[0].until: expected an end after its beginning',
    },
    { name: 'no seed', from: 'seed: 1\n', to: '', says: 'exchange.yaml:1:1: seed: expected a number, found nothing' },
    {
      name: 'a word for a seed',
      from: 'seed: 1',
      to: 'seed: one',
      says: 'exchange.yaml:1:1: seed: expected a number, found "one"',
    },
    {
      name: 'a broken seed',
      from: 'seed: 1',
      to: 'seed: 1.5',
      says: 'exchange.yaml:1:1: seed: expected a whole number, found 1.5',
    },
    {
      name: 'a port too high',
      from: 'seed: 1',
      to: 'seed: 1\nport: 70000',
      says: 'exchange.yaml:2:1: port: expected at most 65535, found 70000',
    },
    {
      name: 'an unknown field',
      from: '    cash: 100.25',
      to: '    cash: 1\n    money: 2',
      says: 'exchange.yaml:5:5: accounts[0]: expected only known fields, found "money" (known: name, cash, shards, clearing, keys)',
    },
    {
      name: 'cash with too many digits',
      from: '100.25',
      to: '0.1234567',
      says: 'exchange.yaml:4:5: accounts[0].cash: expected dollars such as 1000 or 0.25, found ',
    },
    {
      name: 'negative cash',
      from: '100.25',
      to: '-5',
      says: 'exchange.yaml:4:5: accounts[0].cash: expected dollars such as 1000 or 0.25, found -5',
    },
    {
      name: 'no market',
      from: /markets:[^]*/,
      to: 'markets: []\n',
      says: 'exchange.yaml:13:1: markets: expected at least one market, or churn, found a list of 0',
    },
    {
      name: 'churn in a series that is not listed',
      from: 'series:',
      to: 'churn: [{ series: SUN, every: 1m, lifetime: 1m }]\nseries:',
      says: 'churn[0].series: expected one of RAIN',
    },
    {
      name: 'a series churned twice',
      from: 'series:',
      to: 'churn: [{ series: RAIN, every: 1m, lifetime: 1m }, { series: RAIN, every: 2m, lifetime: 1m }]\nseries:',
      says: 'churn[1].series: expected a series that has no other churn rule',
    },
    {
      name: 'churn that never rests',
      from: 'series:',
      to: 'churn: [{ series: RAIN, every: 0ms, lifetime: 1m }]\nseries:',
      says: 'churn[0].every: expected a duration of at least 10ms',
    },
    {
      name: 'a broken plan of faults',
      from: 'series:',
      to: 'faults:\n  requests: [{ fault: doom }]\nseries:',
      says: 'faults.requests[0].fault: expected',
    },
    {
      name: 'a market that never closes',
      from: '    closesIn: 90s\n',
      to: '',
      says: 'markets[0]: expected either closesIn or closesAt, found a mapping',
    },
    {
      name: 'a market that closes twice',
      from: 'closesIn: 90s',
      to: 'closesIn: 90s\n    closesAt: 2026-12-31T23:00:00Z',
      says: 'markets[0]: expected either closesIn or closesAt, found a mapping',
    },
    {
      name: 'a duration without unit',
      from: '90s',
      to: '90',
      says: 'exchange.yaml:17:5: markets[0].closesIn: expected a duration such as 250ms, 30s, 5m, 2h or 1d',
    },
    {
      name: 'a moment without zone',
      from: 'closesIn: 90s',
      to: 'closesAt: 2026-12-31T23:00',
      says: 'markets[0].closesAt: expected a moment such as 2026-12-31T23:00:00Z, on a day that exists, to the microsecond at most, found "2026-12-31T23:00"',
    },
    {
      name: 'an unknown grid',
      from: 'closesIn: 90s',
      to: 'closesIn: 90s\n    grid: cents',
      says: `exchange.yaml:18:5: markets[0].grid: expected one of ${GRID_NAMES.join(', ')}, found "cents"`,
    },
    {
      name: 'a probability of one',
      from: 'closesIn: 90s',
      to: 'closesIn: 90s\n    probability: 1',
      says: 'markets[0].probability: expected a price between 0 and 1 dollar such as 0.42, found 1',
    },
    {
      name: 'a market of no event group',
      from: 'eventGroup: RAIN-26',
      to: 'eventGroup: SNOW',
      says: 'exchange.yaml:15:5: markets[0].eventGroup: expected one of RAIN-26, found "SNOW"',
    },
    {
      name: 'a group of no series',
      from: 'series: RAIN',
      to: 'series: SNOW',
      says: 'exchange.yaml:11:5: eventGroups[0].series: expected one of RAIN, found "SNOW"',
    },
    {
      name: 'a fee type that no venue has',
      from: 'category: Weather',
      to: 'category: Weather\n    feeType: steep',
      says: 'expected one of quadratic, quadratic_with_maker_fees, quadratic_with_combo_maker_fees, free, found "steep"',
    },
    {
      name: 'a fee multiplier beyond reason',
      from: 'category: Weather',
      to: 'category: Weather\n    feeMultiplier: 11',
      says: 'expected a multiplier from 0 to 10 of two decimals at most, such as 0.5, found 11',
    },
    {
      name: 'a name with a space',
      from: 'ticker: RAIN-26-A',
      to: 'ticker: RAIN 26',
      says: 'markets[0].ticker: expected a name of A-Z a-z 0-9 - _ . such as RAIN-26-A, found "RAIN 26"',
    },
    {
      name: 'an account twice',
      from: 'series:\n  - ticker',
      to: '  - name: ann\n    cash: 1\nseries:\n  - ticker',
      says: 'exchange.yaml:5:5: accounts[1].name: expected a name not used before, found "ann"',
    },
    {
      name: 'a key without its public half',
      from: 'cash: 100.25',
      to: 'cash: 1\n    keys:\n      - { id: k1, scheme: ed25519 }',
      says: 'accounts[0].keys[0]: expected either publicKey or publicKeyFile, found a mapping',
    },
    {
      name: 'a scheme it cannot verify',
      from: 'cash: 100.25',
      to: 'cash: 1\n    keys:\n      - { id: k1, scheme: hmac, publicKeyFile: a }',
      says: 'accounts[0].keys[0].scheme: expected one of ecdsa-p256, ecdsa-secp256k1, ed25519, rsa-pss-sha256, found "hmac"',
    },
    {
      name: 'a limit of no model',
      from: 'seed: 1',
      to: 'seed: 1\nlimits: { read: { model: bucket } }',
      says: 'limits.read.model: expected',
    },
    {
      name: 'text where a list belongs',
      from: /accounts:\n[^]*?series/,
      to: 'accounts: ann\nseries',
      says: 'exchange.yaml:2:1: accounts: expected a list, found "ann"',
    },
    {
      name: 'a tab for indentation',
      from: '  - name: ann',
      to: '\t- name: ann',
      says: 'exchange.yaml:3:1: expected YAML, found Tabs are not allowed as indentation',
    },
    {
      name: 'a field twice',
      from: 'seed: 1',
      to: 'seed: 1\nseed: 2',
      says: 'exchange.yaml:2:1: expected YAML, found Map keys must be unique',
    },
    {
      name: 'an empty file',
      from: /[^]*/,
      to: '',
      says: 'exchange.yaml:1:1: expected a mapping of fields, found nothing',
    },
  ])('an exchange config with $name is refused with place, expectation and finding', ({ from, to, says }) => {
    const text = SMALL.replace(from, to);
    expect(text).not.toBe(SMALL);
    expect(complaint(text)).toContain(says);
  });

  it('the exchange config reports all of its faults at once', () => {
    const text = SMALL.replace('seed: 1', 'seed: x').replace('90s', 'soon');
    expect(complaint(text).split('\n')).toHaveLength(2);
  });

  it('the exchange config never shows a private key in the wrong place', () => {
    const pem = '-----BEGIN PRIVATE KEY-----\\nMIGHAgEAMBMGByqGSM49\\n-----END PRIVATE KEY-----';
    const key = `cash: 1\n    keys:\n      - { id: k1, scheme: ed25519, publicKey: "${pem}" }`;
    const said = complaint(SMALL.replace('cash: 100.25', key));
    expect(said).toContain('(a private key, not shown)');
    expect(said).not.toContain('MIGH');
    const asKey = SMALL.replace('seed: 1', `seed: 1\n"${pem}": 1`);
    expect(complaint(asKey)).not.toContain('MIGH');
  });

  it('a missing exchange config is reported by name', () => {
    expect(() => readExchangeConfig('/no/such/exchange.yaml')).toThrow(
      '/no/such/exchange.yaml:1:1: expected a readable file, found ENOENT',
    );
  });
});
