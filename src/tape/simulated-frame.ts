// A frame that no venue sent: what a simulated account was told, among the real feed's frames on a paper session's tape.
// Must never be taken for the venue's word.

/** How it begins: no venue's frame does. */
export const SIMULATED = Buffer.from('{"simulated":');

/** Whether a frame is one. */
export const isSimulatedFrame = (bytes: Uint8Array): boolean =>
  bytes.length > SIMULATED.length && SIMULATED.compare(bytes, 0, SIMULATED.length) === 0;
