// A report as JSON, for programs: the report itself, member by member as docs/how-to/read-a-report.md says. Its `version` changes when
// a member changes its meaning or goes; members may be added without.
import type { Report } from './report.ts';

/** The report as one line of JSON, without a line's end. */
export const renderJson = (report: Report): string => JSON.stringify(report);
