// The operator's console as a process beside a session. Must never stop the session: a console that fails is only
// reported.
import { type ChildProcess, spawn } from 'node:child_process';
import { z } from 'zod';

/** News of the console. */
export type ConsoleNews =
  /** The console serves at this address. The address works for one login. */
  | { readonly type: 'listening'; readonly url: string }
  /** The console has ended. The session goes on. */
  | { readonly type: 'ended'; readonly why: string };

export interface ConsoleProcessOptions {
  /** Command that starts a console. The arguments below are appended. */
  readonly command: readonly [program: string, ...args: string[]];
  /** Options that name the bot, such as `--config FILE`. */
  readonly bot: readonly string[];
  /** Environment variables that the console needs for its bot, such as those of the secrets of its alerts. */
  readonly variables: readonly string[];
  /** Address to listen at. @default the console's own default. */
  readonly listen?: string | undefined;
  readonly onNews: (news: ConsoleNews) => void;
}

/** The line that a listening console prints. */
const listeningSchema = z.object({ type: z.literal('listening'), url: z.string().max(1000) });

/** Environment variables that Node, the system's libraries and esbuild read. */
const SYSTEM_VARIABLES = [
  'PATH',
  'HOME',
  'TMPDIR',
  'TMP',
  'TEMP',
  'TZ',
  'LANG',
  'LC_ALL',
  'LD_LIBRARY_PATH',
  'NODE_OPTIONS',
  'NODE_PATH',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'ESBUILD_BINARY_PATH',
  'SystemRoot',
];

const OUTPUT_MAX = 4096;
const END_WITHIN_MS = 2000;

/** A console beside a session. */
export class ConsoleProcess {
  readonly #options: ConsoleProcessOptions;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  #isListening = false;
  #isEnding = false;
  #output = '';
  #errors = '';

  constructor(options: ConsoleProcessOptions) {
    this.#options = options;
    const { command, bot, variables, listen } = options;
    const [program, ...args] = command;
    const own = [...bot, ...(listen === undefined ? [] : ['--listen', listen])];
    // It gets a process group of its own: Ctrl-C is for the bot, which the console shows until it has stopped.
    const child = spawn(program, [...args, ...own, '--parent-pid', String(process.pid), '--json'], {
      detached: true,
      env: environmentOf(variables),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#exited = new Promise((resolve) => {
      child.on('error', (fault) => this.#onEnd(fault.message, resolve));
      child.on('exit', (code, signal) => this.#onEnd(`it ended with ${signal ?? code}`, resolve));
    });
    child.stdout?.on('error', () => undefined).setEncoding('utf8');
    child.stdout?.on('data', (text: string) => this.#onOutput(text));
    child.stderr?.on('error', () => undefined).setEncoding('utf8');
    child.stderr?.on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-OUTPUT_MAX);
    });
    child.unref();
  }

  #onOutput(text: string): void {
    // Later output is read and dropped, so that the console never waits.
    if (this.#isListening) return;
    const lines = (this.#output + text).split('\n');
    this.#output = (lines.pop() ?? '').slice(-OUTPUT_MAX);
    for (const line of lines) {
      const url = addressIn(line);
      if (url === null) continue;
      this.#isListening = true;
      return this.#options.onNews({ type: 'listening', url });
    }
  }

  #onEnd(why: string, resolve: () => void): void {
    resolve();
    if (this.#isEnding) return;
    this.#isEnding = true;
    const said = this.#errors.trim().split('\n').at(-1) ?? '';
    this.#options.onNews({ type: 'ended', why: said === '' ? why : `${why}: ${said}` });
  }

  /** Ends the console. Resolves when the process has ended. */
  async end(): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_WITHIN_MS);
    await this.#exited;
    clearTimeout(timer);
  }
}

/** The console gets no secret that only the session needs. */
const environmentOf = (variables: readonly string[]): NodeJS.ProcessEnv =>
  Object.fromEntries([...SYSTEM_VARIABLES, ...variables].map((name) => [name, process.env[name]]));

function addressIn(line: string): string | null {
  try {
    return listeningSchema.safeParse(JSON.parse(line)).data?.url ?? null;
  } catch {
    return null;
  }
}
