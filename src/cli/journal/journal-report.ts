// `presage journal report`: prints the report of a past session, and writes it as a page on request.
import { checkPage, writePage } from '../../app/report-page.ts';
import { type ReplayedSessionOptions, replayedRun } from '../../app/session/replayed-session.ts';
import { reportOfRun } from '../../report/statement/statement.ts';
import { renderJson } from '../../report/text/json-report.ts';
import { renderText } from '../../report/text/text-report.ts';
import type { Storage } from '../../tape/journal/storage.ts';
import { ExitCode } from '../output/exit-code.ts';
import { terminalWidth } from '../output/terminal-size.ts';

/** Options of the command line. */
export interface JournalReportOptions extends ReplayedSessionOptions {
  readonly html?: string;
  readonly json?: true;
}

/** Replays a session and prints its report. Returns the exit code. */
export async function reportSession(storage: Storage, options: JournalReportOptions): Promise<number> {
  const { html, json } = options;
  if (html !== undefined) checkPage(html);
  const report = reportOfRun((await replayedRun(storage, options)).record);
  if (html !== undefined) writePage(html, report);
  process.stdout.write(
    json ? `${renderJson(report)}\n` : renderText(report, { width: terminalWidth(process.stdout) ?? 100 }),
  );
  if (html !== undefined && !json) process.stdout.write(`\nreport: ${html}\n`);
  return ExitCode.ok;
}
