// Values of a config that fit its schema, and that only their use can refuse: each use names file, line and column.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runDoctor } from '../../src/app/doctor/doctor-run.ts';
import { runDrift } from '../../src/app/drift/drift-run.ts';
import { runRecording } from '../../src/app/session/recording-run.ts';
import { runSession } from '../../src/app/session/session-run.ts';
import { reviewStages } from '../../src/app/stages/stage-review.ts';
import { limitsExample } from '../../src/config/limit-fields.ts';
import { ConfigError } from '../../src/base/config-error.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-values-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A case, the use of a config, and the expected message. `{}` is the folder of the config. */
type Row = readonly [broken: string, meet: () => Promise<string>, seen: string];

const EXCHANGE = join(import.meta.dirname, '../../config/exchange.yaml');
const EMBEDDED = `embedded: ${EXCHANGE}, account: demo`;
const METRICS = "dataFolder: data\nmetrics: { listen: '127.0.0.1:0', tokenFile: none.token }\n";
const NO_TOKEN =
  '{}/used.yaml:3:35: metrics.tokenFile: expected a readable file (Error: ENOENT: no such file or directory, open \'{}/none.token\'), found "none.token"';
const BUDGET = 'budgets: { trade: { count: 9, window: 1s } }\n';

/** A config on its way to a use of it. The first line is the venue's. */
const used =
  (use: (file: string) => Promise<unknown>, venue: string, more = '') =>
  async (): Promise<string> => {
    const file = join(folder, 'used.yaml');
    writeFileSync(file, `venue: { ${venue} }\n${more}markets: { tickers: [A] }\nlog: { file: a.log }\n`);
    writeFileSync(join(folder, 'none.mjs'), 'export default 5;\n');
    const fault = await use(file).catch((caught: unknown) => caught);
    if (fault instanceof ConfigError) return fault.message.replaceAll(folder, '{}');
    throw new Error(`expected an error with lines, found ${String(fault)}`);
  };
const examine = (file: string): Promise<unknown> => runDoctor(file, false);
const start = (file: string): Promise<unknown> => runSession({ file, forMs: 1 });
const trading = (file: string): string =>
  `strategies: [{ name: q, file: ${file} }]\ndataFolder: d\n${limitsExample()}\n`;

const OTHER = 'profile: other, url: "http://localhost"';
const NO_PROFILE = '{}/used.yaml:1:10: venue.profile: expected one of service, kalshi, found "other"';
const SMALL_BUDGET =
  '{}/used.yaml:2:21: budgets.trade.count: expected a larger trade budget, or less of it kept free by budgets.cancelReserve (a place costs 10, and 1 of 9 are kept free), found 9';

/** Values that fit the schema, and that only the use of the config can refuse. */
const VALUES: readonly Row[] = [
  ['an unknown profile, for the doctor', used(examine, OTHER), NO_PROFILE],
  ['an unknown profile, for a recording', used((file) => runRecording({ file, forMs: 1 }), OTHER), NO_PROFILE],
  ['an unknown profile, for a session', used(start, OTHER), NO_PROFILE],
  ['an unknown profile, for the go-live stages', used((file) => reviewStages({ file }), OTHER), NO_PROFILE],
  ['an unknown profile, for a drift', used((configFile) => runDrift({ configFile, forMs: 1 }), OTHER), NO_PROFILE],
  [
    'an unknown environment',
    used(start, 'profile: kalshi, environment: prod'),
    '{}/used.yaml:1:27: venue.environment: expected one of production, demo, found "prod"',
  ],
  [
    'an unknown account',
    used(start, `embedded: ${EXCHANGE}, account: ann`),
    `{}/used.yaml:1:${13 + EXCHANGE.length + 9}: venue.account: expected one of the accounts of ${EXCHANGE} (demo), found "ann"`,
  ],
  ['a trade budget without room for an order', used(start, `profile: kalshi, ${EMBEDDED}`, BUDGET), SMALL_BUDGET],
  [
    'no key for a feed that needs one',
    used(start, 'profile: kalshi, environment: demo'),
    '{}/used.yaml:1:1: venue.key: expected a key, because the feed of profile "kalshi" needs a key, for public channels too, found nothing',
  ],
  [
    'a trade budget without room for an order, for the doctor',
    used(examine, `profile: kalshi, ${EMBEDDED}`, BUDGET),
    SMALL_BUDGET,
  ],
  [
    'a read budget too slow for the look-up of an unknown order',
    used(start, EMBEDDED, 'budgets: { read: { count: 1, window: 1d } }\n'),
    '{}/used.yaml:2:20: budgets.read.count: expected a faster read budget: a read every 30 s (orders.unknownMax) or more often, not every 86400 s, found 1',
  ],
  [
    'a read budget too slow for the look-up of an unknown order, for the doctor',
    used(examine, EMBEDDED, 'budgets: { read: { count: 1, window: 11s } }\norders: { unknownMax: 10s }\n'),
    '{}/used.yaml:2:20: budgets.read.count: expected a faster read budget: a read every 10 s (orders.unknownMax) or more often, not every 11 s, found 1',
  ],
  ['a token file of metrics that does not exist', used(start, EMBEDDED, METRICS), NO_TOKEN],
  ['a token file of metrics that does not exist, for the doctor', used(examine, EMBEDDED, METRICS), NO_TOKEN],
  [
    'a trade budget too slow for a cancel',
    used(start, EMBEDDED, 'budgets: { trade: { count: 1, window: 1d } }\n'),
    '{}/used.yaml:2:21: budgets.trade.count: expected a faster trade budget: a cancel every 30 s (orders.unknownMax) or more often, not every 86400 s, found 1',
  ],
  [
    'a trade budget too slow for a cancel, for the doctor',
    used(examine, EMBEDDED, 'budgets: { trade: { count: 1, window: 1d } }\n'),
    '{}/used.yaml:2:21: budgets.trade.count: expected a faster trade budget: a cancel every 30 s (orders.unknownMax) or more often, not every 86400 s, found 1',
  ],
  [
    'a strategy that is no module',
    used(start, EMBEDDED, trading('used.yaml')),
    '{}/used.yaml:2:25: strategies[0].file: expected a file with a strategy ({}/used.yaml: a .yaml file is no TypeScript or JavaScript module), found "used.yaml"',
  ],
  [
    'a module that is no strategy',
    used(start, EMBEDDED, trading('none.mjs')),
    '{}/used.yaml:2:25: strategies[0].file: expected a file with a strategy ({}/none.mjs: expected `export default defineStrategy({…})`, found a number), found "none.mjs"',
  ],
];

it.each(VALUES)('%s', async (_broken, meet, seen) => {
  expect(await meet()).toBe(seen);
});
