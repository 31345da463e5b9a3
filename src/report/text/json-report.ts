// A report as JSON, for programs, with the members that docs/how-to/read-a-report.md describes. Its `version` changes
// when a member changes its meaning or is removed; members may be added without a new version.
import type { Report } from '../statement/report.ts';

/** Returns the report as one line of JSON, without a line end. */
export const renderJson = (report: Report): string => JSON.stringify(report);
