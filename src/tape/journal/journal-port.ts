// The journal as a port: takes every input of the engine and every command from it. Must never be given a key or a
// signature: inputs are written as received, and no input holds one.
import type { Command } from '../../domain/venue-command.ts';
import type { Input } from '../../venue.ts';
import type { TapedNotice } from '../format/input-lines.ts';

/** Writes a session to disk. */
export interface Journal {
  /**
   * Writes an input before it is handled. Must not keep a frame's bytes: they may be reused after the call.
   * @throws {TapeFault} when it cannot be written: trading must stop.
   */
  writeInput(input: Input): void;
  /**
   * Writes the alarms and halts that the last input caused. A replay does not need them.
   * @throws {TapeFault} when it cannot be written: trading must stop.
   */
  writeNotices(notices: readonly TapedNotice[]): void;
  /**
   * Writes the commands that the last input caused. When it returns, all entries so far survive the death of the
   * process. Only then may a byte of the commands be sent.
   * @throws {TapeFault} when it cannot be written: the commands must not be sent.
   */
  writeCommands(commands: readonly Command[]): void;
}
