// Every format that can be imported, by name. A new one is a module and a line here.
import { candlesJson } from './candles.ts';
import { feedJsonl } from './feed-jsonl.ts';
import type { Format, Importer } from './importer.ts';
import { booksJson } from './polled-books.ts';
import { quotesCsv, quotesParquet } from './quotes.ts';
import { runImport } from './run-import.ts';
import { tradesJson } from './trade-pages.ts';
import { tradesCsv, tradesParquet } from './trades.ts';

export { ImportFault } from './fault.ts';
export type { ImportCoverage, MarketCoverage } from './book-coverage.ts';
export type { Finding, FindingKind } from './findings.ts';
export type { ImportOptions, ImportProgress, ImportReport, Importer } from './importer.ts';
export { percentText } from './verdict.ts';
export type { Definitions, ImportWire } from './wire.ts';

const FORMATS: readonly Format[] = [
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
  run: (options) => runImport(format, options),
}));

/** The format of a name; `undefined` when there is none. */
export const importerNamed = (name: string): Importer | undefined => IMPORTERS.find((each) => each.name === name);
