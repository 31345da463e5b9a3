// The audit file of a data folder: a line for each accepted, refused and ended action. Must never be written through a
// link, or be readable by others. Must never keep a control from being carried out.
import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from '@hono/zod-openapi';
import type { Logger } from '../../log.ts';
import { type Action, actionSchema } from '../api/api-schemas.ts';
import type { Caller } from '../security/request-checks.ts';

const AUDIT_FILE = 'console.audit.jsonl';
const FILE_BYTES_MAX = 20_000_000;
/** Length of the file's end that is read at the start. Bytes. */
const TAIL_BYTES = 4_000_000;
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** One line of the file. */
export interface AuditLine {
  readonly result: 'accepted' | 'refused' | Action['state'];
  readonly bot: string;
  /** `null` when no person was logged in. */
  readonly who: Pick<Caller, 'name' | 'role' | 'address'> | null;
  readonly path?: string;
  readonly code?: string;
  readonly action?: Action;
}

const lineSchema = z.object({ atUs: z.int(), action: actionSchema });

/** The audit file of one data folder. */
export class AuditFile {
  readonly #file: string;
  readonly #log: Logger;
  readonly #nowMs: () => number;

  constructor(dataFolder: string, log: Logger, nowMs: () => number) {
    this.#file = join(dataFolder, AUDIT_FILE);
    this.#log = log;
    this.#nowMs = nowMs;
  }

  /** A failure is only logged. */
  appendLine(line: AuditLine): void {
    const atUs = this.#nowMs() * 1000;
    const text = `${JSON.stringify({ at: new Date(this.#nowMs()).toISOString(), atUs, ...line })}\n`;
    try {
      const fd = openSync(this.#file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | NO_FOLLOW, 0o600);
      try {
        writeSync(fd, text);
        if (fstatSync(fd).size > FILE_BYTES_MAX) renameSync(this.#file, `${this.#file}.1`);
      } finally {
        closeSync(fd);
      }
    } catch (fault) {
      this.#log.error({ err: fault, line }, 'the audit file could not be written');
    }
  }

  /** Returns the latest line of each action of the last 24 hours. Unreadable lines are skipped. */
  readActions(): readonly Action[] {
    const sinceUs = (this.#nowMs() - 24 * 3_600_000) * 1000;
    const actions = new Map<string, Action>();
    for (const text of this.#tail().split('\n')) {
      const parsed = lineSchema.safeParse(parseJson(text));
      if (parsed.success && parsed.data.atUs >= sinceUs) actions.set(parsed.data.action.actionId, parsed.data.action);
    }
    return [...actions.values()];
  }

  #tail(): string {
    try {
      const fd = openSync(this.#file, constants.O_RDONLY | NO_FOLLOW);
      try {
        return readFileSync(fd).subarray(-TAIL_BYTES).toString('utf8');
      } finally {
        closeSync(fd);
      }
    } catch {
      return '';
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
