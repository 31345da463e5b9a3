// Says that a store does not answer: a network drive that is away blocks without an error. Must never end the work.

const NOTICE_MS = 10_000;

/** Waits for work with a store, and calls `notice` once when it takes long. */
export async function withNotice<Result>(work: Promise<Result>, notice: (text: string) => void): Promise<Result> {
  const timer = setTimeout(() => notice(`no answer for ${NOTICE_MS / 1000} s; waiting for it`), NOTICE_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}
