// What a strategy threw, in one line. Must never throw itself, whatever it was.
import type { ZodError } from 'zod';

/** What does not fit a schema: each member with what was expected and found. */
export const describeMisfit = ({ issues }: Pick<ZodError, 'issues'>): string =>
  issues.map(({ path, message }) => `${path.map(String).join('.') || 'all of it'}: ${message}`).join('; ');

/** Plugins may carry a copy of their own of the schema library: its errors are known by their shape. */
const isMisfit = (fault: unknown): fault is ZodError =>
  fault instanceof Error && 'issues' in fault && Array.isArray(fault.issues) && fault.name === 'ZodError';

/** What was thrown. */
export function describeFault(fault: unknown): string {
  if (isMisfit(fault)) return describeMisfit(fault);
  return fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault);
}
