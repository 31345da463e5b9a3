// The keys of the program's terminal. Must never read the terminal from the background: the system would stop the
// process, and its orders would rest unwatched.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ReadStream } from 'node:tty';
import { type PageKey, readKeys } from './page-view.ts';

/** Reads keys until it is closed. */
export class TerminalKeys {
  readonly #input: ReadStream;
  readonly #onKeys: (keys: readonly PageKey[]) => void;
  #isReading = false;

  private constructor(input: ReadStream, onKeys: (keys: readonly PageKey[]) => void) {
    this.#input = input;
    this.#onKeys = onKeys;
  }

  /** Starts to read keys. Returns `null` when the input is no terminal, or another program has the terminal. */
  static open(input: ReadStream, onKeys: (keys: readonly PageKey[]) => void): TerminalKeys | null {
    if (!input.isTTY || !isForeground()) return null;
    const keys = new TerminalKeys(input, onKeys);
    input.setEncoding('utf8');
    // A lost terminal is no fault: the signal SIGHUP stops the session.
    input.on('error', keys.#onLost).on('data', keys.#onData);
    process.on('SIGCONT', keys.#onContinued);
    keys.#read();
    return keys;
  }

  readonly #onData = (sent: string): void => this.#onKeys(readKeys(sent));
  readonly #onLost = (): void => undefined;
  /** After a stop, the shell may have set its own mode, or put this process into the background. */
  readonly #onContinued = (): void => {
    if (this.#isReading) this.#input.pause();
    this.#isReading = false;
    if (isForeground()) this.#read();
  };

  #read(): void {
    this.#input.setRawMode(true);
    this.#input.resume();
    this.#isReading = true;
  }

  /** Ends the reading and gives the terminal back as it was. */
  close(): void {
    process.off('SIGCONT', this.#onContinued);
    this.#input.off('data', this.#onData);
    if (this.#isReading && isForeground()) this.#input.setRawMode(false);
    this.#isReading = false;
    this.#input.pause();
    this.#input.unref();
  }
}

/** Fields of `/proc/self/stat` after the name: the process group, and the terminal's foreground group. */
const GROUP_FIELD = 2;
const FOREGROUND_FIELD = 5;

function isForeground(): boolean {
  if (process.platform === 'win32') return true;
  const [group, foreground] = process.platform === 'linux' ? groupsOfProc() : groupsOfPs();
  return group !== undefined && group === foreground;
}

function groupsOfProc(): (string | undefined)[] {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [fields[GROUP_FIELD], fields[FOREGROUND_FIELD]];
  } catch {
    return [];
  }
}

function groupsOfPs(): string[] {
  const { stdout } = spawnSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)], { encoding: 'utf8' });
  return (stdout ?? '').trim().split(/\s+/);
}
