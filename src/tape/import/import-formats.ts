// Every format that can be imported, by name.
import { candlesJson } from './books/candle-answers.ts';
import { feedJsonl } from './captures/feed-capture.ts';
import type { ImportFormat, Importer } from './import-format.ts';
import { booksJson } from './books/polled-books.ts';
import { quotesCsv, quotesParquet } from './books/quote-files.ts';
import { runImport } from './run-import.ts';
import { tradesJson } from './trades/trade-pages.ts';
import { tradesCsv, tradesParquet } from './trades/trade-files.ts';

export { ImportFault } from './import-fault.ts';
export type { ImportCoverage, MarketCoverage } from './books/book-coverage.ts';
export type { ImportFinding, ImportFindingKind } from './import-findings.ts';
export type { ImportOptions, ImportProgress, ImportReport, Importer } from './import-format.ts';
export { flagsOf } from './import-options.ts';
export { withoutMark } from './rows/line-chunks.ts';
export { percentText } from './import-verdict.ts';
export type { Definitions, ImportWire } from './import-wire.ts';

const FORMATS: readonly ImportFormat[] = [
  feedJsonl,
  booksJson,
  tradesCsv,
  tradesParquet,
  tradesJson,
  quotesCsv,
  quotesParquet,
  candlesJson,
];

/** All formats. */
export const IMPORTERS: readonly Importer[] = FORMATS.map((format): Importer => ({
  name: format.name,
  description: format.description,
  accepts: format.accepts,
  options: format.options,
  importFiles: (options) => runImport(format, options),
}));

/** Returns the format of a name, or `undefined`. */
export const importerNamed = (name: string): Importer | undefined => IMPORTERS.find((each) => each.name === name);
