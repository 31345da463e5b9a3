// Describes what a strategy threw. Must never throw itself, whatever was thrown.
import type { ZodError } from 'zod';
import { takePromise } from './refused-promise.ts';

/** Describes a value that does not fit a schema: each member with what was expected and found. */
export const describeMisfit = ({ issues }: Pick<ZodError, 'issues'>): string =>
  issues.map(({ path, message }) => `${path.map(String).join('.') || 'the whole value'}: ${message}`).join('; ');

/** Plugins may carry their own copy of the schema library. An error of it is therefore recognized by its shape. */
const isMisfit = (fault: unknown): fault is ZodError =>
  fault instanceof Error && 'issues' in fault && Array.isArray(fault.issues) && fault.name === 'ZodError';

/** Shows the members of a plain object or a list. Other objects describe themselves. */
function describeValue(value: unknown): string {
  const text = String(value);
  return text === '[object Object]' || Array.isArray(value) || text === '' ? JSON.stringify(value) : text;
}

/** The longest description. The rest of a longer one is counted. */
const LENGTH_MAX = 1000;

const shortened = (text: string): string =>
  text.length <= LENGTH_MAX ? text : `${text.slice(0, LENGTH_MAX)}… (${text.length} characters)`;

/** Describes a thrown value, in no more than about a thousand characters. */
export function describeFault(fault: unknown): string {
  try {
    if (takePromise(fault)) return 'a promise';
    if (isMisfit(fault)) return shortened(describeMisfit(fault));
    if (fault instanceof Error) return shortened(`${fault.name}: ${fault.message}`);
    if (typeof fault === 'string' && fault !== '') return shortened(fault);
    return `${shortened(describeValue(fault))}, which is not an Error`;
  } catch {
    // An object without a prototype has no text, and a strategy's own `toString` or `message` may throw.
    return 'a value that cannot be shown as text';
  }
}
