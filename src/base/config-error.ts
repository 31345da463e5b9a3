// The error of a config that cannot be used, with every fault by its place.

/** One fault of a config. */
export interface ConfigFault {
  /** Line, from 1. Columns count from 1, too. */
  readonly line: number;
  readonly column: number;
  /** The field's path, such as `markets[2].closesIn`. Empty for the file as a whole. */
  readonly field: string;
  readonly expected: string;
  readonly found: string;
}

/** A config that cannot be used, with all of its faults. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly file: string;
  readonly faults: readonly ConfigFault[];

  constructor(file: string, faults: readonly ConfigFault[], options?: ErrorOptions) {
    super(faults.map((fault) => describeFault(file, fault)).join('\n'), options);
    this.file = file;
    this.faults = faults;
  }

  /** The faults by their lines, without the path of the file, which concerns this machine alone. */
  get faultsText(): string {
    return this.faults.map((fault) => `line ${fault.line}: ${withoutPlace(fault)}`).join('; ');
  }
}

const describeFault = (file: string, fault: ConfigFault): string =>
  `${file}:${fault.line}:${fault.column}: ${withoutPlace(fault)}`;

const withoutPlace = ({ field, expected, found }: ConfigFault): string =>
  `${field === '' ? '' : `${field}: `}expected ${expected}, found ${found}`;
