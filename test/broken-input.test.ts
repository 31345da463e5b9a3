// Bad input of every kind, from users and from the venue, in one table: the broken input, and the clear error for it.
// The tests of each room go deeper; this table shows that no part of the program answers bad input with a stack trace.
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { Command, type CommanderError } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { durationArgument, portArgument } from '../src/cli/arguments/argument-parsers.ts';
import { keysCommand } from '../src/cli/keys-command.ts';
import { botConfigSchema, readBotConfig } from '../src/config/bot-config.ts';
import { exchangeConfigSchema } from '../src/config/exchange-config.ts';
import { limitsExample } from '../src/config/limit-fields.ts';
import { parseYaml } from '../src/config/yaml.ts';
import { loadPrivateKey, readPublicKey } from '../src/venues/trade-api/signing/key-files.ts';
import quoter from '../strategies/two-sided-quoter.ts';
import { StrategySandbox } from './support/sessions/strategy-sandbox.ts';
import {
  ORDER,
  answered,
  cancel,
  delta,
  normalizing,
  place,
  read,
  snapshot,
  subscribed,
} from './venues/trade-api/normalize/raw-input.ts';
import { isUserError } from '../src/app/usage-error.ts';

const sandbox = new StrategySandbox();
beforeAll(() => sandbox.installPackages());
afterAll(() => sandbox.close());

/** The broken input, a function that uses it, and the expected text. `{}` is the sandbox's folder. */
type Row = readonly [broken: string, meet: () => string | Promise<string>, seen: string];

/** Returns the message of the user error with which a call ends. */
async function errorOf(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (fault) {
    if (isUserError(fault)) return fault.message;
    throw fault;
  }
  throw new Error('no error: the input was accepted');
}

const VENUE = 'venue: { url: http://localhost }\n';
const MARKETS = 'markets: { tickers: [A] }\n';
const LOG = 'log: { file: a.log }\n';
const bot = (text: string) => (): Promise<string> =>
  errorOf(() => parseYaml(text, { file: 'bot.yaml', schema: botConfigSchema }));
const exchange = (text: string) => (): Promise<string> =>
  errorOf(() => parseYaml(text, { file: 'exchange.yaml', schema: exchangeConfigSchema }));

const CONFIGS: readonly Row[] = [
  [
    'a config that does not exist',
    () => errorOf(() => readBotConfig(`${sandbox.folder}/no.yaml`)),
    '{}/no.yaml:1:1: expected a readable file, found ENOENT',
  ],
  [
    'a config that is a folder',
    () => errorOf(() => readBotConfig(sandbox.folder)),
    '{}:1:1: expected a readable file, found EISDIR',
  ],
  [
    'a config that is a baked tape',
    () => errorOf(() => readBotConfig(sandbox.writeFile('tape.arrow', 'ARROW1\0\0\u0001: [\n}'))),
    '{}/tape.arrow:1:1: expected YAML, found an Arrow file, such as a baked tape',
  ],
  [
    'a config that is binary',
    () => errorOf(() => readBotConfig(sandbox.writeFile('any.bin', 'a: 1\n\u0001\u001b[2J: [\n}'))),
    '{}/any.bin:1:1: expected YAML, found a file that is not text',
  ],
  [
    'a config that is no YAML in any line',
    bot('{"a":1}\n{"b":2}\n{"c":3}\n'),
    'bot.yaml:2:1: expected YAML, found Unexpected flow-map-start at node end\nbot.yaml:2:2: expected YAML, found Unexpected double-quoted-scalar at node end\nbot.yaml:2:5: expected YAML, found Unexpected map-value-ind token in YAML stream: ":"',
  ],
  [
    'a config that is not YAML',
    bot(`${VENUE}markets: { tickers: [A }\n${LOG}`),
    'bot.yaml:2:24: expected YAML, found Flow sequence in block collection must be sufficiently indented and end with a ]\nbot.yaml:2:25: expected YAML, found Flow map in block collection must be sufficiently indented and end with a }',
  ],
  [
    'a venue without an address',
    bot(`venue: { profile: service }\n${MARKETS}${LOG}`),
    'bot.yaml:1:1: venue: expected one of embedded, url and environment, found a mapping of profile',
  ],
  [
    'a strategy without limits',
    bot(`${VENUE}${MARKETS}${LOG}dataFolder: d\nstrategies:\n  - { name: q, file: q.ts }\n`),
    `bot.yaml:1:1: limits: expected limits, because strategies run; each of these must be chosen:\n${limitsExample()}\n(the figures are examples), found nothing`,
  ],
  [
    'a misspelled field',
    bot(`${VENUE}${MARKETS}${LOG}buget: { share: 1 }\n`),
    'bot.yaml:4:1: expected only known fields, found "buget" (did you mean budgets?)',
  ],
  [
    'a private key pasted into a config',
    bot(`${VENUE}${MARKETS}${LOG}key: |\n  -----BEGIN PRIVATE KEY-----\n  MIGHAgEAMBMGByqGSM49\n`),
    'bot.yaml:5:3: expected the path of the file that holds a private key, never the key itself, found (a private key, not shown)',
  ],
  [
    'an exchange that lists nothing',
    exchange('seed: 1\n'),
    'exchange.yaml:1:1: series: expected a list, found nothing',
  ],
];

const P256 = { namedCurve: 'P-256' };
const pem = (): string =>
  generateKeyPairSync('ec', P256).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Loads a key file of some text and mode. */
const key =
  (name: string, make: () => string, mode = 0o600) =>
  (): Promise<string> => {
    const file = sandbox.writeFile(name, make());
    chmodSync(file, mode);
    return errorOf(() => loadPrivateKey(file, ['ecdsa-p256']));
  };

const KEYS: readonly Row[] = [
  [
    'a key that does not exist',
    () => errorOf(() => loadPrivateKey(`${sandbox.folder}/no.pem`, ['ecdsa-p256'])),
    'key {}/no.pem: does not exist',
  ],
  [
    'a key that others can read',
    key('open.pem', pem, 0o644),
    'key {}/open.pem: expected mode 600, found 644: others can reach it (chmod 600 it)',
  ],
  [
    'a key that is plain text',
    key('text.pem', () => 'hunter2'),
    'key {}/text.pem: expected PEM, found no "-----BEGIN" line',
  ],
  [
    'a key that is cut short',
    key('short.pem', () => pem().slice(0, 90)),
    'key {}/short.pem: is not a readable private key: its PEM is broken',
  ],
  [
    'the public half of a key',
    key('public.pem', () =>
      generateKeyPairSync('ec', P256).publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    ),
    'key {}/public.pem: expected a private key, found a public one or something else',
  ],
  [
    'a key of another kind',
    key('other.pem', () =>
      generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ),
    'key {}/other.pem: expected an EC key on P-256, found ed25519',
  ],
  [
    'the private half where the public one belongs',
    () => errorOf(() => readPublicKey(pem(), { scheme: 'ecdsa-p256', source: 'account demo' })),
    'key account demo: expected a public key, found a private one',
  ],
];

/** Describes the events of a frame: the unrecognized content, then the gap that it leaves. */
const frame = (message: unknown) => (): string =>
  subscribed()
    .receive(message)
    .map((event) => {
      if (event.kind === 'unrecognized') return `${event.what}: ${event.detail}`;
      return event.kind === 'feed-gap' ? `gap in [${event.markets.join()}], ${event.reason}` : event.kind;
    })
    .join('; ');

const FRAMES: readonly Row[] = [
  [
    'a frame that is not JSON',
    frame('{"type":'),
    'frame is not JSON: 8 bytes; gap in [], unreadable: frame is not JSON',
  ],
  ['a frame of an unknown type', frame({ type: 'weather', msg: {} }), 'type weather: a record'],
  [
    'a delta without a price',
    frame(delta(1, { price: undefined })),
    'record orderbook_delta.price: orderbook_delta.price: expected a number, found nothing; gap in [0,1], orderbook_delta.price: expected a number, found nothing',
  ],
  [
    'a delta above a dollar',
    frame(delta(1, { price: 101 })),
    'record orderbook_delta.price: orderbook_delta.price: expected whole cents, 0 to 100, found 101; gap in [0,1], orderbook_delta.price: expected whole cents, 0 to 100, found 101',
  ],
  [
    'a snapshot with a negative count',
    frame(snapshot(1, { yes: [[42, -1]] })),
    'record orderbook_snapshot.yes: orderbook_snapshot.yes: expected counts that are not negative, found -1; gap in [0,1], orderbook_snapshot.yes: expected counts that are not negative, found -1',
  ],
  [
    'a delta out of sequence',
    frame(delta(9)),
    'gap in [0,1], sequence of subscription 1: expected 1, found 9; book-delta',
  ],
];

/** Describes the events of an answer, except the first event, which only marks its arrival. */
const reply =
  (...given: Parameters<typeof answered>) =>
  (): string =>
    normalizing()
      .normalize(answered(...given))
      .slice(1)
      .map((event) => {
        if (event.kind === 'unrecognized') return `${event.what}: ${event.detail}`;
        if ('reason' in event) return `${event.kind}: ${event.reason}`;
        return event.kind === 'order-rejected' ? `${event.kind}: ${event.code}: ${event.message}` : event.kind;
      })
      .join('; ');

const BALANCE = read({ what: 'balance' });
const ANSWERS: readonly Row[] = [
  [
    'an answer that is not JSON',
    reply(BALANCE, 200, { body: '<html>' }),
    'read-failed: balance.(the whole): expected a record, found nothing',
  ],
  [
    'an answer without the requested field',
    reply(BALANCE, 200, { body: {} }),
    'read-failed: balance.balance_dollars: expected balance_dollars or balance, found nothing',
  ],
  [
    'a server error',
    reply(BALANCE, 503, { body: 'upstream timed out' }),
    'read-failed: 503 http_503: upstream timed out',
  ],
  [
    'a rejected order',
    reply(place, 400, { body: { error: { code: 'invalid_order', message: 'post only cross' } } }),
    'order-rejected: invalid_order: post only cross',
  ],
  [
    'an order whose answer cannot be read',
    reply(place, 201, { body: '{"order":' }),
    'order-unknown: 201 without an order: order_created.(the whole): expected a record, found nothing',
  ],
  [
    'an order answered without its id',
    reply(place, 201, { body: { order: { ...ORDER, order_id: 7 } } }),
    'order-unknown: 201 without an order: order.order_id: expected a text, found 7',
  ],
  [
    'an empty answer to a cancel',
    reply(cancel, 200, { body: '' }),
    'cancel-lost: order_canceled.(the whole): expected a record, found nothing',
  ],
];

/** Loads a strategy file of some text in a process of its own. */
const strategy = (name: string, text: string) => async (): Promise<string> => {
  const [loaded] = await sandbox.loadFiles({ path: sandbox.writeFile(name, text) });
  return loaded?.error?.message ?? 'no error: the input was accepted';
};

const params = (given: unknown) => (): string =>
  quoter.params
    .safeParse(given)
    .error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    .join('; ') ?? 'no error: the input was accepted';

const STRATEGIES: readonly Row[] = [
  [
    'a strategy that does not parse',
    strategy('syntax.ts', 'const a = 1;\nconst b = = 2;\n'),
    '{}/syntax.ts: does not compile at line 2, column 11: Unexpected "="\n  const b = = 2;\n            ^',
  ],
  [
    'a strategy that throws while loading',
    strategy('throws.ts', '\n\nthrow new RangeError("out of range");\n'),
    '{}/throws.ts: failed while loading at line 3: out of range',
  ],
  [
    'a strategy that exports something else',
    strategy('other.ts', 'export default { name: "s" };\n'),
    '{}/other.ts: expected `export default defineStrategy({…})`, found an object with name',
  ],
  [
    'a strategy that imports a missing file',
    strategy('needs.ts', `import './absent.ts';\n`),
    `{}/needs.ts: does not compile at line 1, column 8: Could not resolve "./absent.ts"\n  import './absent.ts';\n         ^`,
  ],
  ['an unknown parameter', params({ qtyContract: 5 }), ': Unrecognized key: "qtyContract"'],
  [
    'parameters of the wrong type and size',
    params({ qtyContracts: 'five', halfSpreadCents: 0 }),
    'qtyContracts: Invalid input: expected number, received string; halfSpreadCents: Too small: expected number to be >0',
  ],
];

/** Returns the error message of the command line for some arguments. */
async function said(command: Command, ...words: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const quiet = (each: Command): void => {
    each.exitOverride().configureOutput({ writeErr: (text) => lines.push(text.trim()) });
    each.commands.forEach(quiet);
  };
  quiet(command);
  try {
    await command.parseAsync(words, { from: 'user' });
  } catch (fault) {
    if (isUserError(fault)) return fault.message;
    return (fault as CommanderError).exitCode === 1 ? lines.join('\n') : String(fault);
  }
  return 'no error: the input was accepted';
}

const timed = (): Command =>
  new Command('run').option('--for <duration>', '', durationArgument).option('--port <port>', '', portArgument);
const keys = (): Command => keysCommand() as unknown as Command;

const ARGUMENTS: readonly Row[] = [
  [
    'a duration without a unit',
    () => said(timed(), '--for', '30'),
    `error: option '--for <duration>' argument '30' is invalid. Expected a duration such as 250ms, 30s, 5m, 2h or 1d, at most 3650d.`,
  ],
  [
    'an invalid port',
    () => said(timed(), '--port', '70000'),
    `error: option '--port <port>' argument '70000' is invalid. Expected a port from 0 to 65535.`,
  ],
  ['an unknown option', () => said(timed(), '--fro', '30s'), `error: unknown option '--fro'\n(Did you mean --for?)`],
  [
    'a key without an output file',
    () => said(keys(), 'generate'),
    `error: required option '--out <file>' not specified`,
  ],
  [
    'a key of an unknown scheme',
    () => said(keys(), 'generate', '--out', 'x', '--scheme', 'rot13'),
    `error: option '--scheme <scheme>' argument 'rot13' is invalid. Allowed choices are ecdsa-p256, ecdsa-secp256k1, ed25519, rsa-pss-sha256.`,
  ],
  [
    'a key file that already exists',
    () => said(keys(), 'generate', '--out', sandbox.writeFile('there.pem', 'a key')),
    'key {}/there.pem: already exists; a key is never overwritten',
  ],
  [
    'a key over a folder',
    () => {
      mkdirSync(`${sandbox.folder}/folder.pem`, { recursive: true });
      return said(keys(), 'generate', '--out', `${sandbox.folder}/folder.pem`);
    },
    'key {}/folder.pem: already exists; a key is never overwritten',
  ],
];

const TABLE = { config: CONFIGS, key: KEYS, frame: FRAMES, answer: ANSWERS, strategy: STRATEGIES, argument: ARGUMENTS };

describe.each(Object.entries(TABLE))('a broken %s', (_, rows) => {
  it.each(rows)('gets a clear error: %s', async (_broken, meet, seen) => {
    expect((await meet()).replaceAll(sandbox.folder, '{}')).toBe(seen);
  });
});

it('covers at least 25 kinds of broken input', () => {
  expect(Object.values(TABLE).flat().length).toBeGreaterThanOrEqual(25);
});
