// One clock for all processes of this machine, so that times taken in two of them can be compared.

/** Microseconds since some moment that is the same for every process. */
export const monotonicMicros = (): number => Number(process.hrtime.bigint()) / 1000;
