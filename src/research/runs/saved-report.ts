// Reads a report that a command saved with `--json`. Must never accept a report of another version: its members have
// another meaning.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { UsageError } from '../../app/usage-error.ts';
import { REPORT_VERSION, type Report } from '../../report/statement/report.ts';

/** The members by which a report is recognized. The writer of the version decides about all others. */
const reportSchema = z.looseObject({
  version: z.literal(REPORT_VERSION),
  headline: z.string(),
  run: z.looseObject({ kind: z.enum(['backtest', 'paper', 'live']), decisionHash: z.string() }),
  account: z.looseObject({ profit: z.int() }),
  byGroup: z.array(z.looseObject({ name: z.string() })),
  equity: z.array(z.looseObject({ at: z.number() })),
  fills: z.array(z.looseObject({ at: z.number() })),
});

/**
 * Reads a report that was saved as JSON.
 * @throws {UsageError} when the file cannot be read, or is not a report of this version.
 * @example
 * import { readReport } from 'presage-trading/research';
 *
 * // presage backtest --config config/backtest.yaml --json > report.json
 * const { headline } = readReport('report.json');
 */
export function readReport(file: string): Report {
  const value = parsedJson(file);
  const found = reportSchema.safeParse(value);
  if (!found.success) {
    const [issue] = found.error.issues;
    const place = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
    const expected = `a report of version ${REPORT_VERSION}, as \`presage backtest --json\` prints it`;
    throw new UsageError(`${file}: expected ${expected}; ${place}${issue?.message ?? ''}`);
  }
  // tidy: as (the schema checked version and shape; the version's writer fixes the rest)
  return value as Report;
}

function parsedJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`${file}: expected a report as JSON, found none: ${reason}`, { cause });
  }
}
