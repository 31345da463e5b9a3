// The end of a worn-out thread, as its pool sees it: by its exit code, which piscina puts into the fault. Pure.

/** Exit code of a thread that ends because its heap has grown. */
export const WORN_OUT_EXIT = 77;

/** True for the fault of a thread that ended so, before it began the trial. */
export const isWornOutFault = (fault: unknown): boolean =>
  fault instanceof Error && fault.message === `worker exited with code: ${WORN_OUT_EXIT}`;
