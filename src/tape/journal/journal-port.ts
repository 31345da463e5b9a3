// The journal as a port: takes every input of the engine and every command from it. Must never be given a key or a
// signature: inputs are written as received, and no input holds one.
import type { Command } from '../../domain/venue-command.ts';
import type { Input } from '../../venue.ts';

/** Writes a session to disk. */
export interface Journal {
  /**
   * Writes an input before it is handled. Must not keep a frame's bytes: they may be reused after the call.
   * @throws {TapeFault} when it cannot be written: trading must stop.
   */
  writeInput(input: Input): void;
  /**
   * Writes the commands that the last input caused. The commands may be sent only after this call: they and all earlier
   * entries then survive the death of the process.
   * @throws {TapeFault} when they cannot be written: the commands must not be sent.
   */
  writeCommands(commands: readonly Command[]): void;
}
