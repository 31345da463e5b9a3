// The journal as its writer sees it: what entered the engine, and what left it. Nothing here does anything.
// Must never be asked to hold a key or a signature: inputs are written as received, and those are never received.
import type { Command } from '../domain/command.ts';
import type { Input } from '../venue.ts';

/** Writes a session down. */
export interface Journal {
  /**
   * Writes an input down, before it is handled. Borrowed: a frame's bytes may be reused after the call.
   * @throws {TapeFault} when it cannot be written: trading must stop.
   */
  input(input: Input): void;
  /**
   * Writes down what the last input led to. When it returns, this and all before it outlive the process: only then may
   * a byte of the commands leave.
   * @throws {TapeFault} when it cannot be written: the commands must not leave.
   */
  commands(commands: readonly Command[]): void;
}
