// A site for tests of the whole program: the exchange as a process, a bot's config and strategy, and a list of resting orders
// that comes from the exchange itself.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { DirectCancel } from '../../src/app/operate/direct-cancel.ts';
import { readBotConfig } from '../../src/config/bot-config.ts';
import { logTo } from '../../src/log.ts';
import { must } from '../../src/base/assert.ts';
import type { CancelSweepResult, ListedOrder } from '../../src/runtime/session/cancel-sweep.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { type Line, Presage, ROOT, shippedConfig } from './presage.ts';

/**
 * A strategy that misbehaves as files in its folder say: `busy` blocks its process for that many milliseconds at every
 * event, `hang` blocks it for as long as the file is there. The process then sleeps, so that the others of the test keep
 * their processors. It always has orders resting, and always wants more than its budget allows.
 */
const NASTY = `import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineStrategy } from 'presage-trading';
import { z } from 'zod';

const folder = dirname(fileURLToPath(import.meta.url));
const has = (name) => existsSync(join(folder, name));
const read = (name) => (has(name) ? Number(readFileSync(join(folder, name), 'utf8')) : 0);
const nobody = new Int32Array(new SharedArrayBuffer(4));
const block = (milliseconds) => Atomics.wait(nobody, 0, 0, milliseconds);

export default defineStrategy({
  name: 'nasty',
  params: z.strictObject({ resting: z.number() }),
  setup: ({ params }) => {
    let count = 0;
    return {
      onBook: ({ market }, view) => {
        block(read('busy'));
        while (has('hang')) block(5);
        count += 1;
        const open = view.orders(market);
        const price = 300 + 100 * (count % 10);
        const place = { type: 'place', market, side: 'buy', price, qty: 100, postOnly: true };
        return open.length < params.resting
          ? [place]
          : [{ type: 'cancel', clientOrderId: open[count % open.length].clientOrderId }, place];
      },
    };
  },
});
`;

/** Changes to a site. */
export interface SiteOptions {
  /** Changes to the exchange's config, such as its limits. */
  readonly exchange?: (text: string) => string;
  /** Changes to the bot's config. */
  readonly bot?: (text: string) => string;
}

/** An exchange, and a bot that can be started, halted and killed. */
export class Site {
  readonly folder: string;
  readonly config: string;
  readonly #running: Presage[] = [];
  #exchange: Presage | null = null;

  private constructor(folder: string) {
    this.folder = folder;
    this.config = join(folder, 'bot.yaml');
  }

  /**
   * Makes a site inside the project, so that the strategy's imports resolve. The exchange listens when this resolves.
   */
  static async open({ exchange = same, bot = same }: SiteOptions = {}): Promise<Site> {
    mkdirSync(join(ROOT, 'var'), { recursive: true });
    const site = new Site(mkdtempSync(join(ROOT, 'var', 'e2e-')));
    const exchangeConfig = site.write('exchange.yaml', exchange(shippedConfig('exchange.yaml', site.folder)));
    const key = join(site.folder, 'demo.pem');
    const args = ['exchange', '--config', exchangeConfig, '--port', '0', '--key', `demo=${key}`, '--json'];
    site.#exchange = site.start(args);
    const { url, feedUrl } = await site.#exchange.line((line) => line.type === 'listening');
    site.write('nasty.mjs', NASTY);
    const text = shippedConfig('local.yaml', site.folder)
      .replace('http://127.0.0.1:8790', String(url))
      .replace('ws://127.0.0.1:8790', String(feedUrl))
      .replace(
        /strategies:\n[\s\S]*?\n\n(?=#)/,
        // Slow strategies are the subject of another test.
        'strategies:\n  - { name: nasty, file: nasty.mjs, slowMax: 1h, params: { resting: 4 } }\n\n',
      )
      // The exchange ends with the test, and its watchdog must not keep retrying.
      .replace('  deadline: 5s', '  giveUpAfter: 10s\n  deadline: 5s')
      .replace(/ordersPerSecondMax: \d+/, 'ordersPerSecondMax: 1000')
      .replace(/priceDistanceMax: [\d.]+/, 'priceDistanceMax: 0.98');
    site.write('bot.yaml', bot(text));
    return site;
  }

  /** Writes a file of the site; returns its path. */
  write(name: string, text: string): string {
    const file = join(this.folder, name);
    writeFileSync(file, text);
    return file;
  }

  /** Makes the strategy block its process at every event, for milliseconds. */
  keepBusy(milliseconds: number): void {
    this.write('busy', String(milliseconds));
  }

  /** Makes the strategy hang until it is released. */
  hang(): void {
    this.write('hang', '');
  }

  behave(): void {
    for (const how of ['busy', 'hang']) rmSync(join(this.folder, how), { force: true });
  }

  start(args: readonly string[]): Presage {
    const program = new Presage(args);
    this.#running.push(program);
    return program;
  }

  /** Starts the exchange's process. */
  get exchange(): Presage {
    return must(this.#exchange, 'an exchange');
  }

  /** Starts the bot. */
  run(...more: readonly string[]): Presage {
    return this.start(['run', '--config', this.config, '--json', ...more]);
  }

  /** Runs an operator's command; returns its record and exit code. */
  async order(name: string, ...more: readonly string[]): Promise<Line & { readonly exitCode: number | null }> {
    const program = this.start([name, '--config', this.config, '--json', ...more]);
    const exitCode = await program.exited;
    const record = program.lines.at(-1);
    if (!record) throw new Error(`${name} said nothing\n${program.stderr}`);
    return { ...record, exitCode };
  }

  /** Lists the account's resting orders at the exchange. */
  async resting(): Promise<readonly ListedOrder[]> {
    const seen = await this.#asStranger((hands) => hands.listOrders({ isOurs: () => true, withinMs: PATIENCE_MS }));
    if (!seen.left) throw new Error(`the exchange cannot be asked: ${seen.trouble ?? ''}`);
    return seen.left;
  }

  /** Cancels resting orders once, as another program with the same key would. */
  cancelAll(): Promise<CancelSweepResult> {
    return this.#asStranger((hands) => hands.cancelOrders({ isOurs: () => true, graceMs: 0, withinMs: 1000 }));
  }

  async #asStranger(act: (hands: DirectCancel) => Promise<CancelSweepResult>): Promise<CancelSweepResult> {
    const log = logTo({ write: () => undefined }, 'silent');
    const hands = must(
      await DirectCancel.connect({ isPaper: false, file: this.config, config: readBotConfig(this.config), log }),
      'a key at an address',
    );
    try {
      return await act(hands);
    } finally {
      await hands.close();
    }
  }

  /** Waits until the exchange's list is as expected. */
  async until(isRight: (resting: readonly ListedOrder[]) => boolean): Promise<readonly ListedOrder[]> {
    const untilMs = performance.now() + PATIENCE_MS;
    for (;;) {
      const resting = await this.resting();
      if (isRight(resting)) return resting;
      if (performance.now() > untilMs) throw new Error(`still ${resting.length} orders rest after ${PATIENCE_MS} ms`);
      await pause(400);
    }
  }

  /** Stops the exchange; returns the bot's account in its ledger: positions and reserved cash. */
  async ledger(): Promise<{ readonly reserved: number; readonly positions: readonly { readonly qty: number }[] }> {
    this.#exchange?.kill('SIGINT');
    const end = await this.#exchange?.line((line) => line.type === 'end');
    const { accounts } = must(end, 'the end of the exchange')['ledger'] as {
      accounts: { account: string; reserved: number; positions: { qty: number }[] }[];
    };
    const own = accounts.find(({ account }) => account === 'demo');
    if (!own) throw new Error('the exchange has no account of that name');
    return { reserved: own.reserved, positions: own.positions.filter(({ qty }) => qty !== 0) };
  }

  /** Kills everything that writes to the site's folder, and removes the folder. */
  async close(): Promise<void> {
    for (const program of this.#running) program.kill('SIGKILL');
    this.#killWatchdog();
    // A killed process may still finish what it was writing.
    await vi.waitFor(() => rmSync(this.folder, { recursive: true, force: true }), { timeout: PATIENCE_MS });
  }

  /** Kills the watchdog of the bot: it outlives its bot, to cancel orders, and writes to the bot's data folder. */
  #killWatchdog(): void {
    const file = join(this.folder, 'local', 'watchdog.pid');
    const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
    // A file that is just being written is empty. The id 0 would stand for the group of this process.
    if (pid > 0) killIfAlive(pid);
  }
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault;
  }
}

const same = (text: string): string => text;

export const pause = (forMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, forMs));
