// The person of an order: each way in which an operator gives an order names one, and the journal gets the name.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../../../src/base/assert.ts';
import { readBotConfig } from '../../../src/config/bot-config.ts';
import { haltBot } from '../../../src/app/operate/halt-order.ts';
import { flattenBot } from '../../../src/app/operate/flatten-order.ts';
import { ACCOUNT_SCOPE, openOperatorContext, sendOrderToBot } from '../../../src/app/operate/operator-context.ts';
import { overrideLimit } from '../../../src/app/operate/override-order.ts';
import { resumeBot } from '../../../src/app/operate/resume-order.ts';
import type { OperatorOrder } from '../../../src/domain/operator-order.ts';
import { controlPath } from '../../../src/runtime/operator/control-path.ts';
import { ControlServer } from '../../../src/runtime/operator/control-server.ts';
import { shippedConfig } from '../../e2e/presage.ts';

let folder = '';
let server: ControlServer;
const orders: OperatorOrder[] = [];
const DONE = { isDone: true, withdrawn: 0, left: [], halts: [], remarks: [], seenAtVenue: [] };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'presage-person-'));
  writeFileSync(join(folder, 'bot.yaml'), shippedConfig('demo.yaml', folder));
  orders.length = 0;
  const { dataFolder } = readBotConfig(join(folder, 'bot.yaml'));
  mkdirSync(must(dataFolder, 'a data folder'), { recursive: true });
  server = await ControlServer.openSocket({
    path: controlPath(must(dataFolder, 'a data folder'), 'control'),
    role: 'presage run',
    answerRequest: (request) => {
      if (request.type === 'order') orders.push(request.order);
      return Promise.resolve({ type: 'done', report: DONE });
    },
  });
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('an order to the bot', () => {
  it('names the user of the command line', async () => {
    const context = openOperatorContext(join(folder, 'bot.yaml'));
    await haltBot(context, { scope: ACCOUNT_SCOPE, reason: 'odd', withinMs: 1000 });
    await resumeBot(context, { scope: ACCOUNT_SCOPE, reason: 'mended' });
    await flattenBot(context, { reason: 'over', withinMs: 1000 });
    await overrideLimit(context, { limit: 'orderQtyMax', value: '5', forMs: 1000, reason: 'thin' });
    await sendOrderToBot(context, { type: 'cancel-all', scope: ACCOUNT_SCOPE, reason: 'tidy' }, 1000);
    const who = `${userInfo().username}, command line`;
    expect(orders.map((order) => [order.type, order.who])).toEqual([
      ['halt', who],
      ['resume', who],
      ['flatten', who],
      ['override', who],
      ['cancel-all', who],
    ]);
  });

  it('names the person of the console in place of the user', async () => {
    const context = openOperatorContext(join(folder, 'bot.yaml'));
    await haltBot(context, {
      scope: ACCOUNT_SCOPE,
      reason: 'odd',
      who: 'anna, operator on the console',
      withinMs: 1000,
    });
    expect(orders.map(({ who }) => who)).toEqual(['anna, operator on the console']);
  });

  it('is sent again without its deadline to a bot of an older version, which knows none', async () => {
    await server.close();
    const received: object[] = [];
    const { dataFolder } = readBotConfig(join(folder, 'bot.yaml'));
    const older = createServer((socket) => {
      socket.on('data', (bytes) => {
        const request = JSON.parse(String(bytes)) as object;
        received.push(request);
        const refusal = { type: 'refused', why: 'request: Unrecognized key: "beginByMs"' };
        socket.end(`${JSON.stringify('beginByMs' in request ? refusal : { type: 'done', report: DONE })}\n`);
      });
    });
    await new Promise<void>((resolve) => {
      older.listen(controlPath(must(dataFolder, 'a data folder'), 'control').address, resolve);
    });
    const context = openOperatorContext(join(folder, 'bot.yaml'));
    expect(await flattenBot(context, { reason: 'over', withinMs: 1000 })).toMatchObject({ isFlat: true });
    expect(received.map((request) => 'beginByMs' in request)).toEqual([true, false]);
    await new Promise((resolve) => older.close(resolve));
  });
});
