// Reads the data folder of a bot whose process may be dead: halts, sessions, process ids. Must never write, and never
// fail on an unreadable file.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Halts, scopeKey } from '../../execution/operator/halts.ts';
import type { Halt, HaltScope } from '../../domain/operator-order.ts';
import { sendControlRequest } from '../../runtime/operator/control-client.ts';
import { type ControlPath, controlPath } from '../../runtime/operator/control-path.ts';
import { type LastSession, ORDERLY_END, endingText, readLastSession } from '../../runtime/saved/last-session.ts';
import { HALT_FILE, Latch } from '../../runtime/saved/latch.ts';
import { JOURNAL_FOLDER } from '../../runtime/saved/data-folder.ts';
import { micros } from '../../domain/units.ts';
import { segmentsOf } from '../../tape/format/segment-files.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { lastManifest } from '../../tape/journal/session-headers.ts';
import type { FolderFacts } from './bot-row.ts';
import { readStrike } from './watchdog-strike.ts';

/** Time allowed for an answer of the watchdog. Milliseconds. */
const WATCHDOG_MS = 1000;

/** Names a scope in the words of the API: `account`, `strategy NAME` or `market TICKER`. */
export function scopeName(scope: HaltScope): string {
  return scopeKey(scope).replace('=', ' ');
}

/** Reads one data folder. */
export class BotFolder {
  readonly #folder: string;
  readonly #needsWatchdog: boolean;
  readonly #latch: Latch;
  #watchdog: FolderFacts['watchdog'];
  /**
   * Time of each halt in force without a saved time, as first read: it would otherwise get a new time at each read. Filled
   * at each read; a halt that was lifted is forgotten.
   */
  #firstSeen: ReadonlyMap<string, number> = new Map();

  /**
   * `isPaper` is true where the sessions of the folder are on paper; `null` until a manifest says it. `file` is the last file
   * of the journal that was read for it.
   */
  #kind: { readonly file: string | undefined; readonly isPaper: boolean | null } = { file: undefined, isPaper: null };
  /** The end of the last session, and the name and size of the file that holds it. */
  #readEnding: { readonly file: string; readonly ended: FolderFacts['ended'] } | null = null;

  /** @param needsWatchdog `false` for a bot that needs none, and where only the data folder is known. */
  constructor(folder: string, { needsWatchdog }: { readonly needsWatchdog: boolean }) {
    this.#folder = folder;
    this.#needsWatchdog = needsWatchdog;
    this.#watchdog = needsWatchdog ? 'absent' : 'not needed';
    this.#latch = new Latch(fileStorage(folder), () => micros(Date.now() * 1000));
  }

  /** The next facts hold the answer of the watchdog. */
  async checkWatchdog(): Promise<void> {
    const path = this.#path('watchdog');
    if (path === null) return;
    const within = { acknowledgedWithinMs: WATCHDOG_MS, doneWithinMs: WATCHDOG_MS };
    const result = await sendControlRequest(path, { type: 'who' }, within);
    const isRunning = result.type === 'answered' && result.reply.type === 'who';
    if (isRunning) this.#watchdog = 'running';
    else this.#watchdog = this.#needsWatchdog ? 'absent' : 'not needed';
  }

  /** @param isAbsent No process serves the bot: the journal says how its last session ended. */
  readFacts({ isAbsent }: { readonly isAbsent: boolean }): FolderFacts {
    const sessions = this.#tryRead(() => this.#latch.readSessions(), []);
    const journal = join(this.#folder, JOURNAL_FOLDER);
    return {
      hasRun: sessions.length > 0 || namesIn(journal).length > 0,
      halts: this.#halts(),
      pid: this.#pid(),
      watchdog: this.#watchdog,
      strike: isAbsent ? this.#tryRead(() => readStrike(join(this.#folder, 'watchdog.log')), null) : null,
      session: sessions.at(-1)?.session ?? null,
      isPaper: this.#tryRead(() => this.#readKind(), null) ?? false,
      ended: isAbsent ? this.#tryRead(() => this.#ending(), null) : null,
      changedUs: latestChangeUs(
        [...this.#journalFiles(), 'books.json', 'losses.json'].map((name) => join(this.#folder, name)),
      ),
    };
  }

  /** The journal and its last file: an entry changes the file's time, not the folder's. */
  #journalFiles(): readonly string[] {
    const storage = fileStorage(join(this.#folder, JOURNAL_FOLDER));
    const last = this.#tryRead(() => segmentsOf(storage).at(-1)?.name, undefined);
    return [JOURNAL_FOLDER, ...(last === undefined ? [] : [join(JOURNAL_FOLDER, last)])];
  }

  /** Reads the headers of the journal until a manifest is found, and again only when there is another file. */
  #readKind(): boolean | null {
    if (this.#kind.isPaper !== null) return this.#kind.isPaper;
    const storage = fileStorage(join(this.#folder, JOURNAL_FOLDER));
    const file = segmentsOf(storage).at(-1)?.name;
    if (file === this.#kind.file) return null;
    const manifest = lastManifest(storage);
    this.#kind = { file, isPaper: manifest === null ? null : manifest.isPaper === true };
    return this.#kind.isPaper;
  }

  /** Reads the last file of the journal once, a damaged one too: a bot that has stopped no longer changes it. */
  #ending(): FolderFacts['ended'] {
    const storage = fileStorage(join(this.#folder, JOURNAL_FOLDER));
    const name = segmentsOf(storage).at(-1)?.name;
    if (name === undefined) return null;
    const file = `${name} ${storage.sizeOf(name)}`;
    if (this.#readEnding?.file !== file)
      this.#readEnding = { file, ended: this.#tryRead(() => endedOf(readLastSession(storage)), null) };
    return this.#readEnding.ended;
  }

  /** Reads the halts. A folder that cannot be read counts as halted. */
  #halts(): FolderFacts['halts'] {
    const inForce = new Halts();
    // A reason may be added to a saved halt, so the files are read afresh.
    const now = micros(Date.now() * 1000);
    const latch = new Latch(fileStorage(this.#folder), () => now);
    const fault = { scope: { type: 'account' }, by: 'fault', reason: 'the data folder cannot be read' } as const;
    const halts = this.#tryRead(() => latch.readHalts(), [{ ...fault, since: now }]);
    for (const halt of halts) inForce.addHalt(halt);
    const seen = new Map<string, number>();
    const rows = inForce.listHalts().map((halt) => {
      const { scope, by, reason, since } = halt;
      // The latch gives a halt without a saved time the present one.
      const sinceUs = since === now ? this.#unsavedTime(halt) : since;
      if (since === now) seen.set(keyOf(halt), sinceUs);
      return { scope: scopeName(scope), by, reason, sinceUs };
    });
    this.#firstSeen = seen;
    return rows;
  }

  /** The file `HALT`, which a person may also make by hand, has the time of its last change. */
  #unsavedTime(halt: Halt): number {
    const madeUs = halt.by === 'operator' ? latestChangeUs([join(this.#folder, HALT_FILE)]) : null;
    return madeUs ?? this.#firstSeen.get(keyOf(halt)) ?? halt.since;
  }

  #pid(): number | null {
    const path = this.#path('control');
    const text = path === null ? '' : this.#tryRead(() => readFileSync(path.pidFile, 'utf8'), '');
    return /^\d{1,10}\s*$/.test(text) ? Number(text) : null;
  }

  /** The path of a socket; `null` when the folder's name is too long. */
  #path(role: 'control' | 'watchdog'): ControlPath | null {
    return this.#tryRead(() => controlPath(this.#folder, role), null);
  }

  #tryRead<Value>(read: () => Value, otherwise: Value): Value {
    try {
      return read();
    } catch {
      return otherwise;
    }
  }
}

const keyOf = ({ scope, by, reason }: Halt): string => `${scopeKey(scope)} ${by} ${reason}`;

function endedOf(last: LastSession | null): FolderFacts['ended'] {
  if (last === null || last.end === null) return null;
  return { isOrderly: last.end === ORDERLY_END, text: endingText(last.end), atUs: last.at };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Latest change, in microseconds since the Unix epoch; `null` when none of the paths exists. */
function latestChangeUs(paths: readonly string[]): number | null {
  const times = paths.flatMap((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? [] : [Math.round(stat.mtimeMs * 1000)];
  });
  return times.length === 0 ? null : Math.max(...times);
}
