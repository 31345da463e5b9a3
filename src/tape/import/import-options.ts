// Checks that an import was given options of its format alone. Must never let an option pass that changes nothing.
import { ImportFault } from './import-fault.ts';

/** Options that only some formats read, by their names on the command line. */
const FLAGS = {
  timeZone: '--time-zone',
  quoteQty: '--quote-qty',
  duplicates: '--duplicates',
  dialect: '--dialect',
  ticker: '--ticker',
  columns: '--column',
} as const;
export type FormatOption = keyof typeof FLAGS;
const FORMAT_OPTIONS = Object.keys(FLAGS) as FormatOption[]; // tidy: as (the object's own names)

/** Names options as on the command line. */
export const flagsOf = (options: readonly FormatOption[]): string => options.map((option) => FLAGS[option]).join(', ');

interface FormatOptions {
  readonly name: string;
  /** Options that the format reads. */
  readonly options: readonly FormatOption[];
}

/** @throws {ImportFault} for an option that the format does not read. */
export function checkOptions(format: FormatOptions, given: Readonly<Partial<Record<FormatOption, unknown>>>): void {
  const foreign = FORMAT_OPTIONS.find((option) => given[option] !== undefined && !format.options.includes(option));
  if (foreign === undefined) return;
  const own = format.options.length === 0 ? 'it has none' : flagsOf(format.options);
  throw new ImportFault(
    null,
    `${FLAGS[foreign]}: expected an option of ${format.name} (${own}), found one that only other formats read`,
  );
}
