// The lines that a bot sends to its watchdog. Must never lose a line that comes before it can be handled.
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Receives the lines, and the end of the connection. */
export interface LineHandler {
  readonly onLine: (line: string) => void;
  readonly onEnd: () => void;
}

/** Lines of a stream, kept until they are handled. */
export class BotLines {
  /** Lines that came before there was a handler. */
  readonly #waiting: string[] = [];
  #isEnded = false;
  #handler: LineHandler | null = null;
  #onChange: () => void = () => undefined;

  constructor(input: Readable) {
    const lines = createInterface({ input });
    lines.on('line', (line) => this.#onLine(line));
    lines.on('close', () => this.#onEnd());
  }

  /** Takes the first line; `null` when the stream has ended without one. */
  async takeFirst(): Promise<string | null> {
    if (this.#waiting.length === 0 && !this.#isEnded)
      await new Promise<void>((resolve) => {
        this.#onChange = resolve;
      });
    return this.#waiting.shift() ?? null;
  }

  /** Hands over all lines from the first one that was not taken, and the end of the connection. */
  handleWith(handler: LineHandler): void {
    this.#handler = handler;
    for (const line of this.#waiting.splice(0)) handler.onLine(line);
    if (this.#isEnded) handler.onEnd();
  }

  #onLine(line: string): void {
    if (this.#handler !== null) return this.#handler.onLine(line);
    this.#waiting.push(line);
    this.#onChange();
  }

  #onEnd(): void {
    this.#isEnded = true;
    this.#handler?.onEnd();
    this.#onChange();
  }
}
