// The handler of a session's report: another process replays the session and writes the page, and the console serves it
// under a policy that lets it do nothing but draw. Must never replay in the console's own process, which would stand still,
// nor answer with a path of this machine.
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
import { type ConsoleApp, type ConsoleContext, botNamed } from './console-app.ts';
import { PROBLEMS, ProblemFault } from './problem.ts';
import { type ReportProgram, makeReport } from './report-process.ts';

export interface ReportHandlersOptions {
  readonly bots: readonly ConsoleBot[];
  readonly log: Logger;
  /** Command of this program; `null` where the console cannot start one. */
  readonly program: ReportProgram | null;
}

const JOURNAL_FOLDER = 'journal';
/** Reports that are made or wait. A further one is refused. */
const REPORTS_MAX = 3;
const RETRY_MS = 5000;

/** Serves reports of sessions. */
export class ReportHandlers {
  readonly #options: ReportHandlersOptions;
  /** The latest report: the next one waits for it. */
  #latest: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(options: ReportHandlersOptions) {
    this.#options = options;
  }

  /** Adds the route. */
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

  /** @throws {ProblemFault} when there is no such session, or no report of it. */
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

/** The program's words about the session itself are for the person. Others may name paths: they are in the log. */
function ownWords(words: string, session: string): string {
  const own = /^presage: (session .+)$/m.exec(words)?.[1];
  return own !== undefined && !own.includes('/') && own.startsWith(`session ${session}`)
    ? own
    : 'the report could not be made: the console’s log says why';
}

/**
 * Returns the journal's folder of a bot, which has the session.
 * @throws {ProblemFault} when it has not.
 */
function folderWith({ dataFolder }: ConsoleBot, session: string): string {
  const folder = join(dataFolder, JOURNAL_FOLDER);
  const storage = existsSync(folder) ? fileStorage(folder) : null;
  if (storage === null || segmentsOf(storage).length === 0)
    throw new ProblemFault('not-found', 'this bot has no journal yet');
  if (sessionHeaders(storage).some((header) => header.session === session && header.of === 'journal')) return folder;
  throw new ProblemFault('not-found', 'the journal of this bot has no session of this name');
}

/**
 * Answers with a page that may run the report's own scripts and nothing else. The sandbox gives it an origin of its own:
 * it has no login, and reads nothing of this console.
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
    // A browser refuses a sandboxed page that asks for a group of its own.
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
