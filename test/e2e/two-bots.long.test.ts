// Two bots on one account with a data folder each, over real processes, in both profiles: the second does not start, names
// the first, and leaves its orders alone.
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { type Presage, endOf } from './presage.ts';
import { Site, type SiteOptions, pause } from './site.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;

let site: Site | null = null;
afterEach(async () => {
  await site?.close();
  site = null;
});

async function open(options: SiteOptions = {}): Promise<Site> {
  site = await Site.open(options);
  return site;
}

const DIALECTS: readonly { readonly dialect: string; readonly options: SiteOptions }[] = [
  { dialect: 'service', options: {} },
  {
    dialect: 'kalshi',
    options: {
      exchange: (text) => text.replace('profile: service', 'profile: kalshi'),
      bot: (text) => text.replace('profile: service', 'profile: kalshi'),
    },
  },
];

/** Rests one order in each market, and never cancels one. */
const CALM = `import { defineStrategy } from 'presage-trading';
import { z } from 'zod';

export default defineStrategy({
  name: 'nasty',
  params: z.strictObject({ resting: z.number() }),
  setup: () => ({
    onBook: ({ market }, view) =>
      view.orders(market).length > 0
        ? []
        : [{ type: 'place', market, side: 'buy', price: 300, qty: 100, postOnly: true }],
  }),
});
`;

/** The same bot with another data folder. */
function second(at: Site, ...more: readonly string[]): Presage {
  const text = readFileSync(at.config, 'utf8').replace(/dataFolder: .*/, `dataFolder: ${join(at.folder, 'second')}`);
  const config = at.write('second.yaml', text.replace(/(log:[\s\S]*?file: ).*/, `$1${join(at.folder, 'second.log')}`));
  return at.start(['run', '--config', config, '--json', ...more]);
}

const sessionOf = (resting: readonly { readonly clientOrderId: string | null }[]): string => {
  const [session] = resting[0]?.clientOrderId?.split('-') ?? [];
  if (session === undefined) throw new Error('nothing rests');
  return session;
};

describe.each(DIALECTS)('a bot on an account, profile $dialect', ({ options }) => {
  let at: Site;
  let first: Presage;
  beforeAll(async () => {
    at = await Site.open(options);
    // The bot always has an order on the book, so another one cannot read the account at a moment without one.
    at.write('nasty.mjs', CALM);
    first = at.run();
  });
  afterAll(() => at.close());

  it(
    'trades on beside a second bot, which is refused with the name of the first',
    async () => {
      const session = sessionOf(await at.until((orders) => orders.length >= 5));
      const other = second(at);
      expect(await other.exited).toBe(2);
      const { end } = endOf(other) as { readonly end: { readonly type: string; readonly reason?: string } };
      expect(end.type).toBe('refused');
      expect(end.reason).toContain(`another session of Presage trades on this account: ${session}, begun `);
      expect(end.reason).toMatch(/begun \d+ s before this one, by its order \S+ in \S+\. Two would cancel/);
      expect(end.reason).toContain(`--take-over ${session}`);
      expect(endOf(other).strategies.filter(({ orders }) => orders > 0)).toEqual([]);
      await pause(1000);
      await at.until((orders) => orders.length >= 3);
      expect(first.lines.filter(({ code }) => code === 'canceled-elsewhere')).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'raises an alarm when another program cancels its orders',
    async () => {
      await at.until((orders) => orders.length >= 5);
      // Another program with the same key, which does not know the bot.
      await at.cancelAll();
      const alarm = await first.line(({ code }) => code === 'canceled-elsewhere');
      expect(alarm['text']).toContain('was canceled on this account, and not by this session');
      first.kill('SIGINT');
      expect(await first.exited).toBe(0);
    },
    TIMEOUT_MS,
  );
});

describe('a dead bot whose data folder is lost', () => {
  it(
    'is taken over by name: its orders are canceled, and the new session trades',
    async () => {
      const at = await open({ bot: (text) => text.replace('enabled: true', 'enabled: false') });
      const first = at.run();
      const session = sessionOf(await at.until((orders) => orders.length >= 5));
      first.kill('SIGKILL');
      await first.exited;
      renameSync(join(at.folder, 'local'), join(at.folder, 'lost'));
      const refused = at.run();
      expect(await refused.exited).toBe(2);
      expect(sessionOf(await at.resting())).toBe(session);
      const next = at.run('--take-over', session);
      await at.until((orders) => orders.length >= 5 && sessionOf(orders) !== session);
      next.kill('SIGINT');
      expect(await next.exited).toBe(0);
      expect(await at.resting()).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
