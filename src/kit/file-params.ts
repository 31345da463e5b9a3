// Parameters that are files: YAML names a file next to the config, and the schema parses its text. Must never open a
// file: the loader of the config replaces the path by the text, so that the text is saved with the run.
import { z } from 'zod';
import { readProbabilities } from './probability-csv.ts';
import type { ProbabilityTable } from './probability-table.ts';

/** Marks a parameter's schema as the text of a file, in `schema.meta()`. */
export const FILE_META = { presageFile: true } as const;

/**
 * A parameter whose value is the UTF-8 text of a file. The config names the file by a path relative to itself.
 * @example
 * import { defineStrategy, fileText, z } from 'presage-trading';
 *
 * export default defineStrategy({
 *   name: 'listed',
 *   params: z.strictObject({ list: fileText().describe('tickers, one a line') }),
 *   markets: ({ list }) => ({ tickers: list.split('\n') }),
 *   setup: () => ({}),
 * });
 */
export const fileText = () => z.string().meta(FILE_META);

/**
 * A parameter that is a CSV file of probabilities. Its header is `ticker,probability`, with a third column `at` for
 * probabilities that change.
 *
 *     ticker,probability,at
 *     RAIN-NYC,0.62,
 *     RAIN-NYC,0.655,2026-11-21T12:00:00Z
 *
 * Probabilities are of YES, 0 to 1. Times are ISO 8601 with their zone, earliest first for each ticker. A row applies
 * from its time on; a row without a time always applies. A row that cannot be parsed is an issue of the schema, with
 * its line and column.
 * @example
 * import { defineStrategy, nearestPrice, probabilityFile, z } from 'presage-trading';
 *
 * export default defineStrategy({
 *   name: 'forecaster',
 *   params: z.strictObject({ forecasts: probabilityFile() }),
 *   setup: ({ params }) => ({
 *     onBook({ market }, view) {
 *       const row = params.forecasts.lookup(view.market(market).ticker, view.now);
 *       return row === null ? [] : [{ type: 'forecast', market, probability: nearestPrice(row.probability) }];
 *     },
 *   }),
 * });
 */
export const probabilityFile = () =>
  z
    .string()
    .transform((text, context): ProbabilityTable => {
      const read = readProbabilities(text);
      if (read.isRead) return read.table;
      for (const message of read.faults) context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .meta(FILE_META);
