// The browser of the page's tests: Debian's chromium, or the program in PRESAGE_CHROMIUM. Each test gets a page of its own
// and fails when the page logged an error or broke the policy.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, type Page, chromium } from 'playwright-core';
import { DEMO_CODE, type DemoOptions, DemoServer } from './demo-server.ts';

/** The project's folder: above the sources, and above a build of them. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/dist\/builds\/[0-9a-f]+\/?$/, '');
const PROGRAM = process.env['PRESAGE_CHROMIUM'] ?? '/usr/bin/chromium';

/** Reason why there is no browser; `null` when there is one. */
export const noBrowser: string | null = existsSync(PROGRAM)
  ? null
  : `skipped: there is no browser at ${PROGRAM}; install chromium, or set PRESAGE_CHROMIUM`;

/** Adds the reason of a skip to the title of a suite. */
export const titled = (title: string): string => (noBrowser === null ? title : `${title} (${noBrowser})`);

/** Returns the folder of the page in the newest build. */
export function builtPage(): string {
  const { id } = JSON.parse(readFileSync(join(ROOT, 'dist/builds/newest.json'), 'utf8')) as { readonly id: string };
  return join(ROOT, 'dist/builds', id, 'console');
}

/** A name that leads to this machine. To the browser it is a remote address: without TLS it has fewer functions. */
export const REMOTE_HOST = 'console.test';

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: PROGRAM,
    args: ['--no-sandbox', '--disable-gpu', `--host-resolver-rules=MAP ${REMOTE_HOST} 127.0.0.1`],
  });

export const WIDE: BrowserContextOptions = { viewport: { width: 1280, height: 860 } };
export const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true };

/** A page that is logged in at a demo console. */
export interface Visit {
  readonly page: Page;
  readonly server: DemoServer;
  /** Errors that the page logged, but for answers of the API that a test asks for. */
  readonly errors: string[];
  readonly goTo: (fragment: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface VisitOptions extends Partial<DemoOptions> {
  readonly context?: BrowserContextOptions;
  /** True to control the page's clock. */
  readonly hasClock?: boolean;
  /** Name of the console in the address. @default 127.0.0.1 */
  readonly host?: string;
}

/** Opens a page, logs in by the one-time code, and waits for the first figures. */
export async function visitPage(browser: Browser, options: VisitOptions = {}): Promise<Visit> {
  const { context: contextOptions = WIDE, hasClock = false, host = '127.0.0.1', ...demo } = options;
  const server = await DemoServer.open({ page: builtPage(), bots: ['demo'], ...demo });
  const url = server.url.replace('127.0.0.1', host);
  const context = await browser.newContext({ reducedMotion: 'reduce', ...contextOptions });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (fault) => errors.push(fault.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      errors.push(message.text());
  });
  if (hasClock) await page.clock.install();
  await page.goto(`${url}/#login=${DEMO_CODE}`);
  await page.waitForSelector('.light.live');
  const goTo = async (fragment: string): Promise<void> => {
    await page.goto(`${url}/${fragment}`);
  };
  const close = async (): Promise<void> => {
    await context.close();
    await server.close();
  };
  return { page, server, errors, goTo, close };
}
