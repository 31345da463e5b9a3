// The heartbeat: signs of life to a service outside of this machine. The service raises the alarm when they stop. Must
// never beat while the engine's own timer stands still: a loop that hangs would seem alive.
import type { HeartbeatConfig } from '../../config/alerts-config.ts';
import type { Logger } from '../../log.ts';
import type { Scheduler, Timer } from '../../transport/scheduler.ts';
import { type PostOutcome, type PostRequest, postOnce } from '../targets/http-post.ts';
import { hideSecretValues } from '../targets/secret-values.ts';

/** State of the session at a heartbeat. */
export interface HeartbeatState {
  readonly phase: string;
  /** Equity in dollars, as text; empty before the account is open. */
  readonly equity: string;
  /** True while a halt is in force that no person asked for. */
  readonly isFailing: boolean;
  /** Number of times that the engine's own timer ran. */
  readonly timerRuns: number;
}

/** Options of a heartbeat. */
export interface HeartbeatOptions {
  readonly config: Pick<HeartbeatConfig, 'every' | 'template'>;
  /** May be a secret. */
  readonly address: string;
  readonly scheduler: Scheduler;
  readonly log: Logger;
  readonly state: () => HeartbeatState;
  /** Sends a request. Default: over the network. */
  readonly post?: (request: PostRequest) => Promise<PostOutcome>;
}

/** Kinds of signal. `end` carries the exit code. */
export type Signal = 'start' | 'beat' | 'fail' | { readonly end: number };

/** Time limit of one signal. Milliseconds. */
const SIGNAL_MS_MAX = 10_000;

/** Sends heartbeats while a session trades. */
export class SessionHeartbeat {
  readonly #options: HeartbeatOptions;
  #timer: Timer | null = null;
  /** `timerRuns` at the last beat. */
  #runs = 0;
  #hasFailed = false;
  /** Set after a signal that was not accepted. Its failure is in the log. */
  #isUnanswered = false;
  #inFlight: Promise<void> | null = null;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#signal('start');
    this.#scheduleBeat();
  }

  #scheduleBeat(): void {
    const { scheduler, config } = this.#options;
    this.#timer = scheduler.after(Math.ceil(config.every / 1000), () => {
      this.#scheduleBeat();
      this.#beat();
    });
  }

  #beat(): void {
    const { phase, isFailing, timerRuns } = this.#options.state();
    const hasRun = timerRuns !== this.#runs;
    this.#runs = timerRuns;
    if (phase !== 'trading' || !hasRun || this.#inFlight) return;
    void this.#signal(isFailing ? 'fail' : 'beat');
  }

  /** Signals a halt that no person asked for, without waiting for the next beat. */
  signalFailure(): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    void this.#signal('fail');
  }

  endFailure(): void {
    this.#hasFailed = false;
  }

  async close(exitCode: number): Promise<void> {
    if (this.#timer) this.#options.scheduler.cancel(this.#timer);
    this.#timer = null;
    await this.#signal({ end: exitCode });
  }

  #signal(signal: Signal): Promise<void> {
    const { address, config, state, post = postOnce } = this.#options;
    const request = heartbeatRequest({ address, template: config.template ?? null, signal, state: state() });
    const sent = post({ ...request, timeoutMs: SIGNAL_MS_MAX }).then((answer) => this.#logAnswer(answer));
    this.#inFlight = sent.finally(() => (this.#inFlight = null));
    return this.#inFlight;
  }

  /** Logs the first failure in a row, and the first success afterwards. */
  #logAnswer(answer: PostOutcome): void {
    const { log, address } = this.#options;
    const isGood = answer.type === 'answered' && answer.status >= 200 && answer.status < 300;
    if (isGood && this.#isUnanswered) log.info('the heartbeat is accepted again');
    if (!isGood && !this.#isUnanswered) {
      const why = answer.type === 'answered' ? `status ${answer.status}` : answer.reason;
      const reason = hideSecretValues(
        why,
        [address, new URL(address).pathname].filter((text) => text !== '/'),
      );
      log.warn({ reason }, 'the heartbeat was not accepted');
    }
    this.#isUnanswered = !isGood;
  }
}

export interface HeartbeatSignal {
  readonly address: string;
  readonly template: string | null;
  readonly signal: Signal;
  readonly state: Pick<HeartbeatState, 'phase' | 'equity'>;
}

/**
 * Returns the request of a signal. Without a template, the paths are those of healthchecks.io, and the body has phase
 * and equity. With a template, the address gets the template's query.
 */
export function heartbeatRequest({ address, template, signal, state }: HeartbeatSignal): PostRequest {
  const { phase, equity } = state;
  const words = wordsOf(signal, phase);
  if (template !== null) {
    const isDown = signal === 'fail' || (typeof signal === 'object' && signal.end !== 0);
    const values = { status: isDown ? 'down' : 'up', message: words, equity };
    return { method: 'GET', url: `${withoutQuery(address)}${filled(template, values)}` };
  }
  const url = new URL(address);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${pathOf(signal)}`;
  const body = `${words}\nequity ${equity === '' ? 'unknown' : equity}\n`;
  return { method: 'POST', url: url.href, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

const withoutQuery = (address: string): string => address.replace(/[?#].*$/s, '');

function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(status|message|equity)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
}

function pathOf(signal: Signal): string {
  if (typeof signal === 'object') return `/${signal.end}`;
  return signal === 'beat' ? '' : `/${signal}`;
}

function wordsOf(signal: Signal, phase: string): string {
  if (typeof signal === 'object') return `ended with exit code ${signal.end}`;
  if (signal === 'start') return 'started';
  return signal === 'fail' ? `halted; phase ${phase}` : `phase ${phase}`;
}
