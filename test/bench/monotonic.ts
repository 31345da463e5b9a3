// One clock for all processes of this machine, so that times of two processes can be compared.

/** Microseconds since a moment that is the same for every process. */
export const monotonicMicros = (): number => Number(process.hrtime.bigint()) / 1000;
