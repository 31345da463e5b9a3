// Makes the report of a session in a process of low priority. Must never leave a process or a file behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';

/** A command that starts this program. */
export type ReportProgram = readonly [program: string, ...args: string[]];

export interface ReportRequest {
  readonly program: ReportProgram;
  readonly folder: string;
  readonly session: string;
  readonly signal: AbortSignal;
}

/** The page of a report, or the program's words about the failure. */
export interface MadeReport {
  readonly page: string | null;
  readonly words: string;
}

const TIMEOUT_MS = 300_000;
const PAGE_BYTES_MAX = 64 * 1024 * 1024;
const WORDS_MAX = 4096;

/** Makes a report. */
export async function makeReport({ program, folder, session, signal }: ReportRequest): Promise<MadeReport> {
  if (signal.aborted) return { page: null, words: 'the request was ended' };
  const place = mkdtempSync(join(tmpdir(), 'presage-report-'));
  try {
    const file = join(place, 'report.html');
    const [command, ...first] = program;
    const args = [...first, 'journal', 'report', folder, `--session=${session}`, `--html=${file}`, '--json'];
    const child = spawn(command, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      killSignal: 'SIGKILL',
    });
    lowerPriority(child);
    const { code, words } = await ended(child);
    if (code !== 0) return { page: null, words };
    if (statSync(file).size > PAGE_BYTES_MAX) return { page: null, words: 'the page is larger than 64 MiB' };
    return { page: readFileSync(file, 'utf8'), words };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** A bot on the same machine comes first. */
function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has ended already.
  }
}

function ended(child: ChildProcess): Promise<{ readonly code: number | null; readonly words: string }> {
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-WORDS_MAX);
  });
  return new Promise((resolve) => {
    child.on('error', (fault) => resolve({ code: null, words: fault.message }));
    child.on('close', (code) => resolve({ code, words }));
  });
}
