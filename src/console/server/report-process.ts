// Makes the report of a session in a process of its own, at low priority: a replay of a day takes seconds of one core. Must
// never leave a process or a file behind, whatever happens.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ProgramCommand, childEnd, lowerPriority } from './child-program.ts';

export interface ReportRequest {
  readonly program: ProgramCommand;
  /** Folder of the journal. */
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
    const { code, words } = await childEnd(child);
    if (code !== 0) return { page: null, words };
    if (statSync(file).size > PAGE_BYTES_MAX) return { page: null, words: 'the page is larger than 64 MiB' };
    return { page: readFileSync(file, 'utf8'), words };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
