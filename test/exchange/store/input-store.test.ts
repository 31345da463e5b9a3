// The exchange's log: inputs survive a crash, a torn last line is cut, and a broken line is an error.
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseExchangeConfig } from '../../../src/config/exchange-config.ts';
import { ticker } from '../../../src/domain/ids.ts';
import { cents, contracts, micros } from '../../../src/domain/units.ts';
import { openExchange } from '../../../src/exchange/session/exchange-driver.ts';
import type { ExchangeImage } from '../../../src/exchange/store/exchange-image.ts';
import type { Input } from '../../../src/exchange/machine/exchange-input.ts';
import { StoreError, memoryStore, openStore } from '../../../src/exchange/store/input-store.ts';
import { ExchangeHarness, START, orderOf, seconds } from '../exchange-harness.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-exchange-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const logPath = () => join(folder, 'inputs.jsonl');
const tick = (at: number): Input => ({ at: micros(at), op: { type: 'tick' } });

/** Everything in the folder's log, and the summary of its replay. */
function reopen(salt = 1) {
  const inputs: Input[] = [];
  const images: ExchangeImage[] = [];
  const store = openStore(folder, salt);
  const found = store.replayInto({
    applyInput: (input) => inputs.push(input),
    restoreImage: (image) => images.push(image),
  });
  return { store, inputs, images, found };
}

describe("the exchange's log", () => {
  it('returns what was appended, in order, and keeps its salt', () => {
    const first = openStore(folder, 99);
    first.appendInput(tick(1));
    first.appendInput(tick(2));
    first.close();
    const { store, inputs, found } = reopen(5);
    expect(store.salt).toBe(99);
    expect(inputs).toEqual([tick(1), tick(2)]);
    expect(found).toEqual({ inputs: 2, cutBytes: 0 });
    store.close();
  });

  it('has each input on disk before append returns', () => {
    const store = openStore(folder, 1);
    store.appendInput(tick(7));
    expect(readFileSync(logPath(), 'utf8').trim().split('\n').at(-1)).toMatch(
      /^{"at":7,"op":{"type":"tick"},"sum":"[\da-f]{8}"}$/,
    );
    store.close();
  });

  it('cuts a torn last line and continues after it', () => {
    const first = openStore(folder, 1);
    first.appendInput(tick(1));
    first.close();
    appendFileSync(logPath(), '{"at":2,"op":{"ty');
    const second = reopen();
    expect(second.inputs).toEqual([tick(1)]);
    expect(second.found.cutBytes).toBe(17);
    second.store.appendInput(tick(3));
    second.store.close();
    const third = reopen();
    expect(third.inputs).toEqual([tick(1), tick(3)]);
    third.store.close();
  });

  it('starts again when even its header was torn', () => {
    writeFileSync(logPath(), '{"presageExch');
    const { store, inputs } = reopen(3);
    expect(store.salt).toBe(3);
    expect(inputs).toEqual([]);
    store.close();
    expect(readFileSync(logPath(), 'utf8')).toMatch(/^{"presageExchange":3,"salt":3,"sum":"[\da-f]{8}"}\n$/);
  });

  it('is refused when any one byte of a line has changed, and names the line', () => {
    const first = openStore(folder, 1);
    first.appendInput({ at: micros(1), op: { type: 'open-account', account: 'änn', keepsHistory: true } });
    first.appendInput(tick(2));
    first.close();
    const bytes = readFileSync(logPath());
    const firstInput = bytes.indexOf('\n') + 1;
    // A changed last newline makes the last line a torn one, which is cut.
    for (let at = 0; at < bytes.length - 1; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      writeFileSync(logPath(), changed);
      expect(() => reopen(), `byte ${at}`).toThrow(at < firstInput ? /line 1: / : /line [23]: /);
    }
    writeFileSync(logPath(), bytes);
    expect(reopen().inputs).toHaveLength(2);
  });

  it('continues a log of an earlier version, whose lines have no checksum', () => {
    const old = '{"presageExchange":2,"salt":8}\n{"at":1,"op":{"type":"tick"}}\n';
    writeFileSync(logPath(), old);
    const { store, inputs } = reopen();
    expect([store.salt, inputs]).toEqual([8, [tick(1)]]);
    store.appendInput(tick(2));
    store.close();
    expect(reopen().inputs).toEqual([tick(1), tick(2)]);
    const text = readFileSync(logPath(), 'utf8');
    expect(text.startsWith(old)).toBe(true);
    writeFileSync(logPath(), text.replace('"at":2', '"at":3'));
    expect(() => reopen()).toThrow(/line 3: expected the checksum [\da-f]{8}, found [\da-f]{8}, in {"at":3,/);
  });

  it('has another format version than 0.1.0, which would append lines without a checksum', () => {
    openStore(folder, 1).close();
    const [header = ''] = readFileSync(logPath(), 'utf8').split('\n');
    expect(JSON.parse(header)).toMatchObject({ presageExchange: 3 });
  });

  it('reads logs longer than a chunk', () => {
    const store = openStore(folder, 1);
    for (let at = 0; at < 60_000; at++) store.appendInput(tick(at));
    store.close();
    const reopened = reopen();
    expect(reopened.found.inputs).toBe(60_000);
    expect(reopened.inputs.at(-1)).toEqual(tick(59_999));
    reopened.store.close();
  });

  it.each([
    {
      name: 'a broken line in the middle',
      text: '{"presageExchange":2,"salt":1}\n{"at":1,\n{"at":2,"op":{"type":"tick"}}\n',
      says: /line 2: expected JSON, found {"at":1,/,
    },
    {
      name: 'a line that is not an input',
      text: '{"presageExchange":2,"salt":1}\n{"hello":1}\n',
      says: /line 2: expected an input with at and op/,
    },
    {
      name: 'a log of another format version',
      text: '{"presageExchange":9,"salt":1}\n',
      says: /line 1: expected the header of an exchange log of format 2 or 3/,
    },
    {
      name: 'a file that is not a log',
      text: 'once upon a time\n',
      says: /line 1: expected JSON, found once upon a time/,
    },
  ])('throws on $name, and names the line', ({ text, says }) => {
    writeFileSync(logPath(), text);
    expect(() => reopen()).toThrow(says);
    expect(() => reopen()).toThrow(StoreError);
  });

  it('accepts nothing more once a write has failed', () => {
    const { store } = reopen();
    store.appendInput(tick(1));
    mkdirSync(`${logPath()}.new`);
    const image = new ExchangeHarness().exchange.image();
    expect(() => store.replaceWithImage(image)).toThrow(/cannot be written \(EISDIR\)/);
    expect(() => store.appendInput(tick(2))).toThrow(/is closed after a failed write/);
    store.close();
    rmdirSync(`${logPath()}.new`);
    expect(reopen().inputs).toEqual([tick(1)]);
  });

  it('does not touch a file that got the number of the closed log', () => {
    const store = openStore(folder, 1);
    store.close();
    const other = openSync(join(folder, 'other'), 'w');
    expect(() => store.appendInput(tick(1))).toThrow(/inputs\.jsonl: is closed/);
    store.close();
    writeSync(other, 'its own');
    closeSync(other);
    expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('its own');
  });

  it('names the file that cannot be opened', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => openStore(join(folder, 'file'), 1)).toThrow(/inputs\.jsonl: cannot be opened/);
  });
});

describe('an exchange with a data folder', () => {
  const config = (clearing = 'direct') =>
    parseExchangeConfig(
      `
seed: 5
dataFolder: ${folder}
accounts:
  - { name: ann, cash: 100, clearing: ${clearing}, shards: { 1: 10 } }
  - { name: bob, cash: 100 }
series:
  - { ticker: RAIN, title: Rain, category: Weather }
eventGroups:
  - { ticker: RAIN-26, series: RAIN, title: Rain }
markets:
  - { ticker: A, eventGroup: RAIN-26, title: Rain?, closesIn: 1h }
`,
      'exchange.yaml',
    );

  it('has the same ledger, orders and ids after a restart, and lists nothing twice', () => {
    let now = START;
    const clock = () => (now = micros(now + 1000));
    const first = openExchange(config(), { clock });
    first.submit({ type: 'place', account: 'ann', order: orderOf({ clientOrderId: 'one', price: cents(40) }) });
    first.submit({
      type: 'place',
      account: 'bob',
      order: orderOf({ side: 'sell', price: cents(40), qty: contracts(4) }),
    });
    const { exchange } = first;
    const before = { ledger: exchange.ledger(), orders: exchange.orders('ann'), book: exchange.book(ticker('A')) };
    // Not closed, as after a crash.
    now = micros(now + 60_000_000);
    const second = openExchange(config(), { clock });
    const reopened = second.exchange;
    expect({ ledger: reopened.ledger(), orders: reopened.orders('ann'), book: reopened.book(ticker('A')) }).toEqual(
      before,
    );
    expect(reopened.market(ticker('A'))?.closeAt).toBe(exchange.market(ticker('A'))?.closeAt);
    const repeated = second.submit({ type: 'place', account: 'ann', order: orderOf({ clientOrderId: 'one' }) });
    expect(repeated.answer).toMatchObject({ type: 'refused', refusal: { code: 'order_already_exists' } });
    const placed = second.submit({ type: 'place', account: 'bob', order: orderOf({ price: cents(1) }) });
    const known = new Set(before.orders.map((order) => order.orderId));
    if (placed.answer.type === 'order') expect(known.has(placed.answer.order.orderId)).toBe(false);
    expect(placed.answer.type).toBe('order');
    first.close();
    second.close();
  });

  it('opens accounts with their clearing in the config, on every shard, and does not change it later', () => {
    for (const clearing of ['indirect', 'direct']) {
      openExchange(config(clearing), { clock: () => START }).close();
      const { store, inputs } = reopen();
      store.close();
      const opened = inputs.flatMap(({ op }) => (op.type === 'open-account' ? [[op.account, op.clearing]] : []));
      // The collateral account of a shard clears as its owner's main account does.
      expect(opened).toEqual([
        ['ann', 'indirect'],
        ['ann@1', undefined],
        ['bob', undefined],
      ]);
    }
  });

  it('makes a deposit that a crash right after opening the account left out, once', () => {
    const store = openStore(folder, 1);
    store.appendInput({ at: START, op: { type: 'open-account', account: 'ann', keepsHistory: true } });
    store.close();
    for (let start = 0; start < 2; start++) {
      const session = openExchange(config(), { clock: () => micros(START + 1000) });
      expect(session.exchange.balance('ann')?.cash).toBe(100_000_000);
      session.close();
    }
  });
});

describe('a long log', () => {
  const image = new ExchangeHarness().exchange.image();

  it('is replaced by an image, and grows long again after it', () => {
    const store = openStore(folder, 4, { compactAboveBytes: 100 });
    store.appendInput(tick(1));
    expect(store.isLong).toBe(false);
    for (let at = 2; !store.isLong; at++) store.appendInput(tick(at));
    store.replaceWithImage(image);
    expect(store.isLong).toBe(false);
    store.appendInput(tick(50));
    store.close();
    const reopened = reopen();
    expect([reopened.store.salt, reopened.inputs, reopened.images]).toEqual([4, [tick(50)], [image]]);
    reopened.store.appendInput(tick(51));
    reopened.store.close();
    const third = reopen();
    expect(third.inputs).toEqual([tick(50), tick(51)]);
    third.store.close();
  });

  it('writes no image until the inputs are twice the length of the last one', () => {
    const store = openStore(folder, 4, { compactAboveBytes: 1 });
    store.appendInput(tick(1));
    store.replaceWithImage(image);
    const { size } = statSync(logPath());
    for (let at = 2; !store.isLong; at++) store.appendInput(tick(at));
    store.close();
    expect(statSync(logPath()).size).toBeGreaterThan(2.9 * size);
  });

  it('is unchanged when a crash interrupts the writing of an image', () => {
    const store = openStore(folder, 4);
    store.appendInput(tick(1));
    store.close();
    writeFileSync(`${logPath()}.new`, '{"presageExchange":2,"salt":4}\n{"image":{"now":');
    const reopened = reopen();
    expect([reopened.inputs, reopened.images, existsSync(`${logPath()}.new`)]).toEqual([[tick(1)], [], false]);
    reopened.store.close();
  });

  it('is refused when an image is not its first record', () => {
    writeFileSync(logPath(), `{"presageExchange":2,"salt":4}\n${JSON.stringify(tick(1))}\n`);
    appendFileSync(logPath(), `${JSON.stringify({ image })}\n`);
    expect(() => reopen()).toThrow(/line 3: expected an input with at and op, found {"image":/);
  });

  it('restores an exchange again and again, in memory and on disk', () => {
    const config = parseExchangeConfig(CONFIG, 'exchange.yaml');
    const onDisk = () => openStore(folder, 6, { compactAboveBytes: 3000, syncs: true });
    const inMemory = memoryStore(6, 40);
    for (const storeOf of [() => inMemory, onDisk]) {
      let ledger: unknown = null;
      let now = START;
      for (let life = 0; life < 5; life++) {
        const session = openExchange(config, { clock: () => now, store: storeOf() });
        if (ledger !== null) expect(session.exchange.ledger()).toEqual(ledger);
        for (let i = 0; i < 60; i++) {
          now = seconds(life * 60 + i);
          const order = orderOf({
            price: cents(1 + ((7 * i) % 98)),
            side: i % 2 === 0 ? 'buy' : 'sell',
            qty: contracts(1),
          });
          session.submit({ type: 'place', account: i % 3 === 0 ? 'ann' : 'bob', order });
        }
        session.exchange.audit();
        ledger = session.exchange.ledger();
        session.close();
      }
    }
    expect(readFileSync(logPath(), 'utf8').split('\n')[1]).toContain('{"image":');
  });
});

const CONFIG = `
seed: 6
accounts: [{ name: ann, cash: 1000 }, { name: bob, cash: 1000 }]
series: [{ ticker: RAIN, title: Rain, category: Weather }]
eventGroups: [{ ticker: RAIN-26, series: RAIN, title: Rain }]
markets: [{ ticker: A, eventGroup: RAIN-26, title: Rain?, closesIn: 1h }]
`;
