// A baked file open for reading. Must never return fewer bytes than requested: it throws a fault that names the file.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { BakedFault } from './baked-fault.ts';

/** A file open for reading. */
export class BakedFile {
  readonly path: string;
  readonly bytes: number;
  readonly #remedy: string;
  readonly #fd: number;
  #isOpen = true;

  /** @param remedy Advice for a damaged file, appended to the problem. */
  constructor(path: string, remedy = '') {
    this.path = path;
    this.#remedy = remedy;
    try {
      this.#fd = openSync(path, 'r');
    } catch (cause) {
      throw this.faultOf(`cannot be opened: ${codeOf(cause)}`, cause);
    }
    this.bytes = fstatSync(this.#fd).size;
  }

  readInto(buffer: Uint8Array, at: number): void {
    if (!this.#isOpen) throw this.faultOf('is closed');
    for (let done = 0; done < buffer.length;) {
      const count = this.#readOnce(buffer, done, at);
      if (count === 0) throw this.faultOf(`is cut short: expected ${at + buffer.length} bytes, found ${at + done}`);
      done += count;
    }
  }

  #readOnce(buffer: Uint8Array, done: number, at: number): number {
    try {
      return readSync(this.#fd, buffer, done, buffer.length - done, at + done);
    } catch (cause) {
      throw this.faultOf(`cannot be read: ${codeOf(cause)}`, cause);
    }
  }

  faultOf(what: string, cause?: unknown): BakedFault {
    return new BakedFault(this.path, what, { cause });
  }

  damageFault(what: string, cause?: unknown): BakedFault {
    return this.faultOf(`is damaged: ${what}${this.#remedy}`, cause);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#fd);
  }
}

const codeOf = (fault: unknown): string =>
  fault instanceof Error && 'code' in fault ? String(fault.code) : String(fault);
