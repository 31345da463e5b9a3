// A bot's config: the files in config/, and the message for every kind of broken one, to the line and column.
// tidy: table
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { type BotConfig, botConfigSchema, readBotConfig } from '../../src/config/bot-config.ts';
import { limitsExample } from '../../src/config/limit-fields.ts';
import { ConfigError } from '../../src/base/config-error.ts';
import { parseYaml } from '../../src/config/yaml.ts';
import { cents, contracts, dollars, fromSeconds } from '../../src/domain/units.ts';
import { parsePluginLocation } from '../../src/runtime/plugins/plugin-location.ts';

const COMPLETE = `venue:
  embedded: exchange.yaml
  account: demo
markets:
  events: [RAIN]
strategies:
  - name: quoter
    file: quoter.ts
limits:
  orderQtyMax: 20
  orderCostMax: 20
  positionQtyMax: 60
  marketCostMax: 60
  accountCostMax: 400
  workingOrdersMax: 40
  priceMin: 0.02
  priceMax: 0.98
  bookAgeMax: 15s
  closeGuard: 2s
  groupCostMax: 100
  dailyLossMax: 50
  drawdownMax: 100
  ordersPerSecondMax: 20
  priceDistanceMax: 0.15
log:
  file: bot.log
dataFolder: data
`;

const parse = (text: string): BotConfig => parseYaml(text, { file: 'bot.yaml', schema: botConfigSchema });

/** The error thrown by an action; fails the test when none is. */
function catchFault(accept: () => unknown): unknown {
  try {
    accept();
  } catch (fault) {
    return fault;
  }
  throw new Error('accepted');
}

/** The message for a text. */
function complaint(text: string): string {
  const fault = catchFault(() => parse(text));
  if (fault instanceof ConfigError) return fault.message;
  throw fault;
}

/** The complete config with one part replaced. */
function broken(from: string, to: string): string {
  if (!COMPLETE.includes(from)) throw new Error(`nothing to replace: ${from}`);
  return COMPLETE.replace(from, to);
}

interface Row {
  readonly name: string;
  readonly text: string;
  readonly message: string;
}

const row = (name: string, [from, to]: readonly [string, string], message: string): Row => ({
  name,
  text: broken(from, to),
  message,
});

const ROWS: readonly Row[] = [
  { name: 'an empty file', text: '', message: 'bot.yaml:1:1: expected a mapping of fields, found nothing' },
  { name: 'a list', text: '- a\n- b\n', message: 'bot.yaml:1:1: expected a mapping of fields, found a list of 2' },
  {
    name: 'two documents',
    text: `${COMPLETE}---\nvenue: {}\n`,
    message: 'bot.yaml:28:1: expected one document, found another one',
  },
  row(
    'a tab for indentation',
    ['  account: demo', '\taccount: demo'],
    'bot.yaml:3:1: expected YAML, found Tabs are not allowed as indentation',
  ),
  row(
    'a list that is not closed',
    ['[RAIN]', '[RAIN'],
    'bot.yaml:6:1: expected YAML, found Flow sequence in block collection must be sufficiently indented and end with a ]',
  ),
  row(
    'a field given twice',
    ['  account: demo', '  account: demo\n  account: other'],
    'bot.yaml:4:3: expected YAML, found Map keys must be unique',
  ),
  row(
    'an alias of nothing',
    ['account: demo', 'account: *missing'],
    'bot.yaml:3:12: expected YAML, found Unresolved alias (the anchor must be set before the alias): missing',
  ),
  row(
    'a missing section',
    ['log:\n  file: bot.log\n', ''],
    'bot.yaml:1:1: log: expected a mapping of fields (level, file, keepMegabytes, keepFor), found nothing',
  ),
  row(
    'an unknown field',
    ['  account: demo', '  account: demo\n  acount: demo'],
    'bot.yaml:4:3: venue: expected only known fields, found "acount" (did you mean account?)',
  ),
  row(
    'an unknown section',
    ['log:', 'logg:\n  file: a\nlog:'],
    'bot.yaml:25:1: expected only known fields, found "logg" (did you mean log?)',
  ),
  row(
    'neither embedded nor url',
    ['  embedded: exchange.yaml\n  account: demo', '  profile: service'],
    'bot.yaml:1:1: venue: expected one of embedded, url and environment, found a mapping of profile',
  ),
  row(
    'both embedded and url',
    ['  account: demo', '  account: demo\n  url: http://127.0.0.1:1'],
    'bot.yaml:1:1: venue: expected one of embedded, url and environment, found a mapping of embedded, account, url',
  ),
  row(
    'no account with embedded',
    ['  account: demo\n', ''],
    'bot.yaml:1:1: venue.account: expected account with embedded, and only with it, found nothing',
  ),
  row(
    'an address of another scheme',
    ['  embedded: exchange.yaml\n  account: demo', '  url: ftp://host'],
    'bot.yaml:2:3: venue.url: expected an address beginning with http:// or https://, found "ftp://host"',
  ),
  row(
    'an invalid address',
    ['  embedded: exchange.yaml\n  account: demo', '  url: localhost'],
    'bot.yaml:2:3: venue.url: expected an address beginning with http:// or https://, found "localhost"',
  ),
  row(
    'an address with an impossible port',
    ['  embedded: exchange.yaml\n  account: demo', '  url: http://127.0.0.1:99999'],
    'bot.yaml:2:3: venue.url: expected a port of at most 65535, found "http://127.0.0.1:99999"',
  ),
  ...['nope', '127.0.0.1:70000'].map((address) =>
    row(
      `an address of metrics that cannot be listened at, ${address}`,
      ['log:', `metrics:\n  listen: ${address}\nlog:`],
      `bot.yaml:26:3: metrics.listen: expected an address and a port, such as 127.0.0.1:9464, found "${address}"`,
    ),
  ),
  ...['/trade-api/v2', '/', '?key=1', '#here'].map((tail) =>
    row(
      `an address with more than a host: ${tail}`,
      ['  embedded: exchange.yaml\n  account: demo', `  url: 'http://host:1${tail}'`],
      `bot.yaml:2:3: venue.url: expected only scheme, host and port (the profile has the paths), found "http://host:1${tail}"`,
    ),
  ),
  row(
    'an address with a name before the host',
    ['  embedded: exchange.yaml\n  account: demo', '  url: http://me:my-password@host'],
    'bot.yaml:2:3: venue.url: expected only scheme, host and port (the profile has the paths), found "http://(not shown)@host"',
  ),
  row(
    'a feed address of another scheme',
    ['  embedded: exchange.yaml\n  account: demo', '  url: http://localhost\n  feedUrl: http://localhost'],
    'bot.yaml:3:3: venue.feedUrl: expected an address beginning with ws:// or wss://, found "http://localhost"',
  ),
  ...[
    'http://exchange:8790',
    'http://10.0.0.7',
    'http://0.0.0.0:1',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://[::2]:1',
  ].map((address) =>
    row(
      `an unencrypted address, ${address}`,
      ['  embedded: exchange.yaml\n  account: demo', `  url: '${address}'`],
      `bot.yaml:2:3: venue.url: expected https://, except to this machine (127.0.0.1, [::1], localhost) or with venue.allowPlaintext: true, found "${address}"`,
    ),
  ),
  row(
    'an unencrypted feed',
    ['  embedded: exchange.yaml\n  account: demo', '  url: https://exchange\n  feedUrl: ws://exchange'],
    'bot.yaml:3:3: venue.feedUrl: expected wss://, except to this machine (127.0.0.1, [::1], localhost) or with venue.allowPlaintext: true, found "ws://exchange"',
  ),
  row(
    'both an environment and an address',
    ['  embedded: exchange.yaml\n  account: demo', '  environment: demo\n  url: http://localhost'],
    'bot.yaml:1:1: venue: expected one of embedded, url and environment, found a mapping of environment, url',
  ),
  row(
    'a feed address with an environment',
    ['  embedded: exchange.yaml\n  account: demo', '  environment: demo\n  feedUrl: ws://localhost'],
    'bot.yaml:3:3: venue.feedUrl: expected feedUrl only with url, found "ws://localhost"',
  ),
  row(
    'an impossible subaccount',
    ['  account: demo', '  account: demo\n  subaccount: 64'],
    'bot.yaml:4:3: venue.subaccount: expected at most 63, found 64',
  ),
  row(
    'an unknown guard value',
    ['  account: demo', '  account: demo\n  guards: { cancelOnDeath: true }'],
    'bot.yaml:4:13: venue.guards: expected only known fields, found "cancelOnDeath" (known: cancelOnPause, restMax, orderGroup)',
  ),
  row(
    'a guard of no duration',
    ['  account: demo', '  account: demo\n  guards: { restMax: true }'],
    'bot.yaml:4:13: venue.guards.restMax: expected a duration of at least 10ms, such as 1h, or false, found true',
  ),
  row(
    'a group of no contracts',
    ['  account: demo', '  account: demo\n  guards: { orderGroup: 0 }'],
    'bot.yaml:4:13: venue.guards.orderGroup: expected a number of contracts such as 40, or false, found 0',
  ),
  row(
    'a key without its file',
    ['  embedded: exchange.yaml\n  account: demo', '  url: http://localhost\n  key: { id: a }'],
    'bot.yaml:3:3: venue.key.file: expected a text, found nothing',
  ),
  row(
    'no markets',
    ['  events: [RAIN]', '  events: []'],
    'bot.yaml:4:1: markets: expected at least one of events, tickers and series, found a mapping of events',
  ),
  row(
    'a name that is a number',
    ['[RAIN]', '[RAIN, 1.10]'],
    'bot.yaml:5:18: markets.events[1]: expected a name in quotes, because without them it is a number, found 1.10',
  ),
  row(
    'a tag that another program would replace',
    ['account: demo', 'account: !env ACCOUNT'],
    'bot.yaml:3:12: expected a value without a tag, found !env',
  ),
  row(
    'an alias of a wrong value',
    [
      '  embedded: exchange.yaml\n  account: demo',
      '  embedded: &place exchange.yaml\n  account: demo\n  stayAwake: *place',
    ],
    'bot.yaml:4:3: venue.stayAwake: expected a duration such as 250ms, 30s, 5m, 2h or 1d, at most 3650d, found "exchange.yaml"',
  ),
  row(
    'a name with a space',
    ['[RAIN]', '[RAIN, "OS LO"]'],
    'bot.yaml:5:18: markets.events[1]: expected a name of A-Z a-z 0-9 - _ . such as RAIN-26-A, found "OS LO"',
  ),
  row(
    'a name of two lines',
    ['[RAIN]', '["OS\\nLO\\e[2J"]'],
    'bot.yaml:5:12: markets.events[0]: expected a name of A-Z a-z 0-9 - _ . such as RAIN-26-A, found "OS\\nLO\\u001b[2J"',
  ),
  row(
    'a path for a name',
    ['[RAIN]', '[../RAIN]'],
    'bot.yaml:5:12: markets.events[0]: expected a name of A-Z a-z 0-9 - _ . such as RAIN-26-A, found "../RAIN"',
  ),
  row('a word where a list belongs', ['[RAIN]', 'RAIN'], 'bot.yaml:5:3: markets.events: expected a list, found "RAIN"'),
  row(
    'a strategy without a file',
    ['    file: quoter.ts\n', ''],
    'bot.yaml:7:5: strategies[0].file: expected one of file and package, found nothing',
  ),
  row(
    'a strategy with a file and a package',
    ['    file: quoter.ts\n', '    file: quoter.ts\n    package: quoter\n'],
    'bot.yaml:8:5: strategies[0].file: expected one of file and package, found "quoter.ts"',
  ),
  row(
    'a package that is a path',
    ['    file: quoter.ts\n', '    package: ../quoter\n'],
    'bot.yaml:8:5: strategies[0].package: expected the name of a package, such as my-strategy, found "../quoter"',
  ),
  row(
    'a strategy name used twice',
    ['limits:', '  - name: quoter\n    file: b.ts\nlimits:'],
    'bot.yaml:9:5: strategies[1].name: expected a name not used before, found "quoter"',
  ),
  row(
    'params that are no mapping',
    ['    file: quoter.ts', '    file: quoter.ts\n    params: [1]'],
    'bot.yaml:9:5: strategies[0].params: expected a mapping of fields, found a list of 1',
  ),
  row(
    'no limits though a strategy runs',
    [COMPLETE.slice(COMPLETE.indexOf('limits:'), COMPLETE.indexOf('log:')), ''],
    `bot.yaml:1:1: limits: expected limits, because strategies run; each of these must be chosen:\n${limitsExample()}\n(the figures are examples), found nothing`,
  ),
  row(
    'a missing loss limit',
    ['  dailyLossMax: 50\n', ''],
    'bot.yaml:9:1: limits.dailyLossMax: expected dollars such as 1000 or 0.25, found nothing',
  ),
  row(
    'a strategy limit looser than the account’s',
    ['    file: quoter.ts', '    file: quoter.ts\n    limits: { orderQtyMax: 21, closeGuard: 1s, positionQtyMax: 60 }'],
    [
      "bot.yaml:9:15: strategies[0].limits.orderQtyMax: expected a limit no looser than the account's limits.orderQtyMax, found 21",
      'bot.yaml:9:32: strategies[0].limits.closeGuard: expected a limit no looser than the account\'s limits.closeGuard, found "1s"',
    ].join('\n'),
  ),
  row(
    'a strategy limit that only accounts have',
    ['    file: quoter.ts', '    file: quoter.ts\n    limits: { lossStreakMax: 1 }'],
    'bot.yaml:9:15: strategies[0].limits: expected only known fields, found "lossStreakMax"',
  ),
  row(
    'a missing limit',
    ['  accountCostMax: 400\n', ''],
    'bot.yaml:9:1: limits.accountCostMax: expected dollars such as 1000 or 0.25, found nothing',
  ),
  row(
    'a limit without a value',
    ['orderQtyMax: 20', 'orderQtyMax:'],
    'bot.yaml:10:3: limits.orderQtyMax: expected a number of contracts such as 10 or 0.01, found nothing',
  ),
  row(
    'a negative cost',
    ['orderCostMax: 20', 'orderCostMax: -20'],
    'bot.yaml:11:3: limits.orderCostMax: expected dollars such as 1000 or 0.25, found -20',
  ),
  row(
    'a cost with a dollar sign',
    ['orderCostMax: 20', 'orderCostMax: $20'],
    'bot.yaml:11:3: limits.orderCostMax: expected dollars such as 1000 or 0.25, found "$20"',
  ),
  row(
    'a quantity finer than the unit',
    ['orderQtyMax: 20', 'orderQtyMax: 0.005'],
    'bot.yaml:10:3: limits.orderQtyMax: expected a number of contracts such as 10 or 0.01, found 0.005',
  ),
  row(
    'a quantity of zero',
    ['orderQtyMax: 20', 'orderQtyMax: 0'],
    'bot.yaml:10:3: limits.orderQtyMax: expected a number of contracts such as 10 or 0.01, found 0',
  ),
  row(
    'a cost too large for an integer',
    ['orderCostMax: 20', 'orderCostMax: 99999999999999'],
    'bot.yaml:11:3: limits.orderCostMax: expected dollars such as 1000 or 0.25, found 99999999999999',
  ),
  row(
    'a price in cents',
    ['priceMin: 0.02', 'priceMin: 2'],
    'bot.yaml:16:3: limits.priceMin: expected a price between 0 and 1 dollar such as 0.42, found 2',
  ),
  row(
    'a reversed price band',
    ['priceMin: 0.02', 'priceMin: 0.99'],
    'bot.yaml:17:3: limits.priceMax: expected a price not below priceMin, found 0.98',
  ),
  row(
    'half an order',
    ['workingOrdersMax: 40', 'workingOrdersMax: 1.5'],
    'bot.yaml:15:3: limits.workingOrdersMax: expected a whole number from 1 to 100000, found 1.5',
  ),
  row(
    'too many orders',
    ['workingOrdersMax: 40', 'workingOrdersMax: 100001'],
    'bot.yaml:15:3: limits.workingOrdersMax: expected a whole number from 1 to 100000, found 100001',
  ),
  row(
    'a duration without its unit',
    ['bookAgeMax: 15s', 'bookAgeMax: 15'],
    'bot.yaml:18:3: limits.bookAgeMax: expected a duration of at least 10ms, such as 1s, found 15',
  ),
  row(
    'an age of a book that refuses every order',
    ['bookAgeMax: 15s', 'bookAgeMax: 0s'],
    'bot.yaml:18:3: limits.bookAgeMax: expected a duration of at least 10ms, such as 1s, found "0s"',
  ),
  row(
    'too long a duration',
    ['bookAgeMax: 15s', 'bookAgeMax: 999999999d'],
    'bot.yaml:18:3: limits.bookAgeMax: expected a duration of at least 10ms, such as 1s, found "999999999d"',
  ),
  row(
    'a share above one',
    ['log:', 'budgets:\n  share: 1.5\nlog:'],
    'bot.yaml:26:3: budgets.share: expected at most 1, found 1.5',
  ),
  row(
    'a share of nothing',
    ['log:', 'budgets: { share: 0 }\nlog:'],
    'bot.yaml:25:12: budgets.share: expected more than 0, found 0',
  ),
  row(
    'a budget of no requests',
    ['log:', 'budgets: { trade: { count: 0, window: 1s } }\nlog:'],
    'bot.yaml:25:21: budgets.trade.count: expected at least 1, found 0',
  ),
  row(
    'a budget without a window',
    ['log:', 'budgets: { trade: { count: 5, window: 0s } }\nlog:'],
    'bot.yaml:25:31: budgets.trade.window: expected a duration of at least 10ms, such as 1s, found "0s"',
  ),
  row(
    'upkeep without a pause',
    ['log:', 'upkeep: { fills: 0s }\nlog:'],
    'bot.yaml:25:11: upkeep.fills: expected a duration of at least 10ms, such as 1s, found "0s"',
  ),
  row(
    'a clock limit below its warning',
    ['log:', 'clock: { offsetWarn: 20s }\nlog:'],
    'bot.yaml:25:1: clock.offsetMax: expected a duration not below offsetWarn, found nothing',
  ),
  row(
    'a watchdog that gives up at once',
    ['log:', 'watchdog: { giveUpAfter: 0s }\nlog:'],
    'bot.yaml:25:13: watchdog.giveUpAfter: expected a duration above orders.grace, in which a sent order may still arrive, found "0s"',
  ),
  row(
    'strategies without a data folder',
    ['dataFolder: data\n', ''],
    'bot.yaml:1:1: dataFolder: expected dataFolder, because strategies run: a folder for halts and the journal, such as ../var/my-bot, found nothing',
  ),
  row(
    'a strategy with the name of the operator’s orders',
    ['- name: quoter', '- name: operator'],
    'bot.yaml:7:5: strategies[0].name: expected a name other than operator, foreign, adopted, found "operator"',
  ),
  row(
    'a strategy with the name of adopted orders',
    ['- name: quoter', '- name: adopted'],
    'bot.yaml:7:5: strategies[0].name: expected a name other than operator, foreign, adopted, found "adopted"',
  ),
  row(
    'a watchdog without a pause',
    ['log:', 'watchdog: { deadline: 0s }\nlog:'],
    'bot.yaml:25:13: watchdog.deadline: expected a duration of at least 10ms, such as 1s, found "0s"',
  ),
  row(
    'an unknown level',
    ['  file: bot.log', '  file: bot.log\n  level: loud'],
    'bot.yaml:27:3: log.level: expected one of trace, debug, info, warn, error, silent, found "loud"',
  ),
  row('a number for a file', ['  file: bot.log', '  file: 5'], 'bot.yaml:26:3: log.file: expected a text, found 5'),
];

describe('a broken config', () => {
  it.each(ROWS)('a broken config is refused with place and reason: $name', ({ text, message }) => {
    expect(complaint(text)).toBe(message);
  });
});

describe('a config with several faults', () => {
  it('a config with several faults is refused with all of them at once, each on its own line', () => {
    const text = broken('orderQtyMax: 20', 'orderQtyMax: none').replace(
      'workingOrdersMax: 40',
      'workingOrdersMax: few',
    );
    expect(complaint(text).split('\n')).toEqual([
      'bot.yaml:10:3: limits.orderQtyMax: expected a number of contracts such as 10 or 0.01, found "none"',
      'bot.yaml:15:3: limits.workingOrdersMax: expected a whole number from 1 to 100000, found "few"',
    ]);
  });

  it('a broken config is a typed error that carries each fault as data', () => {
    const accept = (): BotConfig => parse(broken('account: demo', 'account: "?"'));
    expect(accept).toThrow(ConfigError);
    const fault = catchFault(accept);
    expect(fault).toMatchObject({
      file: 'bot.yaml',
      faults: [{ line: 3, column: 3, field: 'venue.account', found: '"?"' }],
    });
  });
});

describe('a member named __proto__', () => {
  const FOUND = 'expected no member named __proto__, found "__proto__"';

  it.each([
    ['in params', '{ __proto__: { size: 1 }, size: 2 }', `10:15: strategies[0].params: ${FOUND}`],
    ['deep in params', '{ legs: [1, { "__proto__": 5 }] }', `10:27: strategies[0].params.legs[1]: ${FOUND}`],
  ])('a member named __proto__ is refused with its place: %s', (_, params, fault) => {
    const text = broken('file: quoter.ts', `file: quoter.ts\n    params: ${params}`);
    expect(complaint(text).replace(/^bot\.yaml:\d+/, 'bot.yaml:10')).toBe(`bot.yaml:${fault}`);
  });

  it('a member named __proto__ is refused at the top', () => {
    expect(complaint(`${COMPLETE}\n__proto__: {}\n`)).toMatch(new RegExp(`^bot\\.yaml:\\d+:1: ${FOUND}$`));
  });
});

describe('a private key in a config', () => {
  const privatePem = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
  const [begin = '', body = '', ...rest] = privatePem.trim().split('\n');
  const block = (indent: string): string => `|\n${[begin, body, ...rest].map((line) => `${indent}${line}`).join('\n')}`;
  const pasted: readonly (readonly [string, string])[] = [
    ['in place of its file', broken('account: demo', `account: demo\n  key:\n    id: a\n    file: ${block('      ')}`)],
    ['where a name belongs', broken('account: demo', `account: ${block('    ')}`)],
    ['as a field', broken('account: demo', `account: demo\n  privateKey: ${block('    ')}`)],
    ['as the log file', broken('file: bot.log', `file: ${JSON.stringify(privatePem)}`)],
    [
      'in the params of a strategy',
      broken('file: quoter.ts', `file: quoter.ts\n    params: { k: ${JSON.stringify(privatePem)} }`),
    ],
    ['in a comment', `${COMPLETE}\n${privatePem.trim().replaceAll(/^/gm, '# ')}`],
    ['at the margin, so that nothing parses', broken('  account: demo', privatePem.trim())],
    ['alone', privatePem],
  ];

  it.each(pasted)('a private key is refused and never shown: %s', (_, text) => {
    const message = complaint(text);
    expect(message).toMatch(
      /^bot\.yaml:\d+:\d+: expected the path of the file that holds a private key, never the key itself/,
    );
    expect(message).not.toContain(body.slice(0, 16));
  });

  it('a private key is not shown when only the middle of it is pasted', () => {
    for (const text of [broken('account: demo', `account: +${body}`), broken('  account: demo', body), `${body}: 1`])
      expect(complaint(text)).not.toContain(body.slice(0, 16));
  });
});

describe('a config file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'presage-config-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('a config file has its paths made absolute, from its folder', () => {
    const file = join(folder, 'bot.yaml');
    writeFileSync(file, COMPLETE);
    const config = readBotConfig(file);
    expect(config.venue.embedded).toBe(join(folder, 'exchange.yaml'));
    expect(config.strategies[0]?.file).toBe(join(folder, 'quoter.ts'));
    expect(config.log.file).toBe(join(folder, 'bot.log'));
    expect(config.dataFolder).toBe(join(folder, 'data'));
  });

  it('a config file has its packages resolved from its folder', () => {
    const file = join(folder, 'with-package.yaml');
    writeFileSync(file, COMPLETE.replace('    file: quoter.ts\n', '    package: "@me/quoter/fast"\n'));
    const place = readBotConfig(file).strategies[0]?.file ?? '';
    expect(parsePluginLocation(place)).toEqual({ type: 'package', name: '@me/quoter/fast', folder });
  });

  it('a config file that cannot be read is reported with its path', () => {
    const missing = join(folder, 'missing.yaml');
    expect(() => readBotConfig(missing)).toThrow(`${missing}:1:1: expected a readable file, found ENOENT`);
    expect(() => readBotConfig(folder)).toThrow(`${folder}:1:1: expected a readable file, found EISDIR`);
    const loop = join(folder, 'loop.yaml');
    symlinkSync(loop, loop);
    expect(() => readBotConfig(loop)).toThrow(`${loop}:1:1: expected a readable file, found ELOOP`);
    const long = join(folder, 'a'.repeat(300));
    expect(() => readBotConfig(long)).toThrow(`${long}:1:1: expected a readable file, found ENAMETOOLONG`);
  });

  it('a config file is refused when its aliases multiply beyond measure', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (const [from, to] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg'].map((pair) => pair.split('')))
      bomb.push(`${to}: &${to} [${Array.from({ length: 9 }, () => `*${from}`).join(', ')}]`);
    expect(complaint(bomb.join('\n'))).toMatch(/^bot\.yaml:1:1: expected YAML, found Excessive alias count/);
  });
});

describe('a shipped config', () => {
  const shipped = (name: string): string => fileURLToPath(new URL(`../../config/${name}`, import.meta.url));

  it.each(['demo.yaml', 'local.yaml'])('a shipped config is valid and sets every limit: %s', (name) => {
    const config = readBotConfig(shipped(name));
    expect(config.limits).toMatchObject({
      orderQtyMax: contracts(20),
      accountCostMax: dollars(400),
      priceMin: cents(2),
      priceMax: cents(98),
      bookAgeMsMax: 15_000,
    });
    expect(config.strategies.map(({ name: strategy }) => strategy)).toEqual(['quoter', 'arbitrage']);
    for (const { file } of config.strategies) expect(dirname(file)).toBe(shipped('../strategies'));
  });

  it('the shipped demo runs on the embedded exchange, the other config over sockets with a key', () => {
    const demo = readBotConfig(shipped('demo.yaml'));
    expect(demo.venue).toMatchObject({ embedded: shipped('exchange.yaml'), account: 'demo' });
    const local = readBotConfig(shipped('local.yaml'));
    expect(local.venue).toMatchObject({ url: 'http://127.0.0.1:8790', feedUrl: 'ws://127.0.0.1:8790' });
    expect(isAbsolute(local.venue.key?.file ?? '')).toBe(true);
  });

  it.each([
    'url: http://127.0.0.1:8790, feedUrl: ws://127.0.0.1:8790',
    'url: http://127.8.8.8',
    "url: 'http://[::1]:1'",
    'url: http://localhost:1',
    'url: https://exchange, feedUrl: wss://exchange',
    'url: http://exchange, feedUrl: ws://exchange, allowPlaintext: true',
  ])('a config may connect to %s', (venue) => {
    expect(() => parse(`venue: { ${venue} }\nmarkets: { tickers: [A] }\nlog: { file: a }\n`)).not.toThrow();
  });

  it('a config has defaults where no money is at risk, and never for a limit', () => {
    const bySeries = parse('venue: { url: http://localhost }\nmarkets: { series: [DAILY] }\nlog: { file: a }\n');
    expect(bySeries.markets).toEqual({ events: [], tickers: [], series: ['DAILY'], settledGrace: 60_000_000 });
    const watching = parse('venue: { url: http://localhost }\nmarkets: { tickers: [A] }\nlog: { file: a }\n');
    expect(watching.limits).toBeUndefined();
    expect(watching.budgets).toMatchObject({ share: 0.9, cancelReserve: 0.2 });
    expect(watching.orders).toMatchObject({ delayMax: fromSeconds(2), stopWithin: fromSeconds(15) });
  });
});
