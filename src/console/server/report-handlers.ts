// The handler of a session's report. Another process replays the session, because a replay would stop the console for
// seconds. Must never answer with a path of this machine.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pageAssets } from '../../app/report-page.ts';
import type { Logger } from '../../log.ts';
import { reportPolicy } from '../../report/page/html-page.ts';
import { html } from '../../report/page/markup.ts';
import { segmentsOf } from '../../tape/format/segment-files.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { sessionHeaders } from '../../tape/journal/session-headers.ts';
import { sessionReportRoute } from '../api/report-routes.ts';
import type { ConsoleBot } from '../bots/console-bot.ts';
import type { ProgramCommand } from './child-program.ts';
import { type ConsoleApp, type ConsoleContext, botNamed } from './console-app.ts';
import { PROBLEMS, ProblemFault } from './problem.ts';
import { makeReport } from './report-process.ts';

export interface ReportHandlersOptions {
  readonly bots: readonly ConsoleBot[];
  readonly log: Logger;
  /** Command of this program; `null` where the console cannot start one. */
  readonly program: ProgramCommand | null;
}

const JOURNAL_FOLDER = 'journal';
/** Most reports that are made or wait. */
const REPORTS_MAX = 3;
const RETRY_MS = 5000;

/** The handler of the reports of all bots. */
export class ReportHandlers {
  readonly #options: ReportHandlersOptions;
  /** The latest report. The next report waits for it. */
  #latest: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(options: ReportHandlersOptions) {
    this.#options = options;
  }

  readonly addTo = (app: ConsoleApp): void => {
    app.openapi(sessionReportRoute, async (context) => {
      const { bot: name, session } = context.req.valid('param');
      try {
        const bot = botNamed(this.#options.bots, name);
        return pageResponse(context, await this.#reportOf(bot, session, context.req.raw.signal));
      } catch (fault) {
        const wantsPage = context.req.header('Accept')?.includes('text/html') === true;
        if (!(fault instanceof ProblemFault) || !wantsPage) throw fault;
        return pageResponse(context, problemPage(fault), PROBLEMS[fault.code].status);
      }
    });
  };

  /** @throws {ProblemFault} when the session is unknown, or its report cannot be made. */
  async #reportOf(bot: ConsoleBot, session: string, signal: AbortSignal): Promise<string> {
    const { program } = this.#options;
    if (program === null) throw new ProblemFault('no-history', 'this console cannot make reports');
    const folder = folderWith(bot, session);
    if (this.#waiting >= REPORTS_MAX)
      throw new ProblemFault('too-many', 'other reports are still being made', { retryAfterMs: RETRY_MS });
    this.#waiting += 1;
    const made = this.#latest.then(() => makeReport({ program, folder, session, signal }));
    this.#latest = made.catch(() => undefined);
    try {
      const { page, words } = await made;
      if (page !== null) return page;
      this.#options.log.error({ bot: bot.name, session, words }, 'a report could not be made');
      throw new ProblemFault('no-history', ownWords(words, session));
    } finally {
      this.#waiting -= 1;
    }
  }
}

/** Only words about the session itself are for the person. Other words may name paths. */
function ownWords(words: string, session: string): string {
  const own = /^presage: (session .+)$/m.exec(words)?.[1];
  return own !== undefined && !own.includes('/') && own.startsWith(`session ${session}`)
    ? own
    : 'the report could not be made: the console’s log says why';
}

/** Returns the folder of the journal. @throws {ProblemFault} when the journal does not have the session. */
function folderWith({ dataFolder }: ConsoleBot, session: string): string {
  const folder = join(dataFolder, JOURNAL_FOLDER);
  const storage = existsSync(folder) ? fileStorage(folder) : null;
  if (storage === null || segmentsOf(storage).length === 0)
    throw new ProblemFault('not-found', 'this bot has no journal yet');
  if (sessionHeaders(storage).some((header) => header.session === session && header.of === 'journal')) return folder;
  throw new ProblemFault('not-found', 'the journal of this bot has no session of this name');
}

/**
 * The report's own scripts may run, and nothing else. The sandbox keeps the page from the login and from the console's
 * answers.
 */
function pageResponse(context: ConsoleContext, page: string, status: 200 | ProblemStatus = 200): Response {
  const policy = [
    reportPolicy(pageAssets()),
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    'sandbox allow-scripts',
  ].join('; ');
  return context.body(page, status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    // A browser refuses a sandboxed page with the value `same-origin`.
    'Cross-Origin-Opener-Policy': 'unsafe-none',
    'Cache-Control': 'no-store',
  });
}

type ProblemStatus = (typeof PROBLEMS)[keyof typeof PROBLEMS]['status'];

const problemPage = (fault: ProblemFault): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>No report</title>
      </head>
      <body>
        <h1>There is no report</h1>
        <p>${PROBLEMS[fault.code].title}: ${fault.message}.</p>
      </body>
    </html> `.text;
