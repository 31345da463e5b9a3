// A report as JSON, for programs. Its `version` grows when a member is removed or changes its meaning, but not when a
// member is added.
import type { Report } from '../statement/report.ts';

/** Returns one line of JSON, without a line end. */
export const renderJson = (report: Report): string => JSON.stringify(report);
