// A report as JSON, for programs. A new `version` means a changed or removed member. Members may be added without one.
import type { Report } from '../statement/report.ts';

/** Returns one line of JSON, without a line end. */
export const renderJson = (report: Report): string => JSON.stringify(report);
