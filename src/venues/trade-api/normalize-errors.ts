// A refusal of the venue in few words. Pure.
import type { ErrorRecord } from './wire/records.ts';

/** Its status and code, and whatever else it says. */
export const describeError = (status: number, { code, message, details }: ErrorRecord): string =>
  [`${status} ${code}`, message, details].filter((part) => part !== null && part !== '').join(': ');
