// The structure of the project as tables: the order of the layers, which files are pure, which may read files.
// src/README.md draws the same structure: change both together.

/**
 * Layers from left to right. A layer imports only from groups to its left, and never from another layer of its own
 * group.
 */
export const LAYERS: readonly (readonly string[])[] = [
  ['base'],
  ['domain'],
  ['state'],
  ['strategy'],
  ['kit'],
  ['index'],
  ['risk'],
  ['execution'],
  ['engine'],
  ['venue'],
  ['log'],
  ['config', 'tape', 'transport'],
  ['venues'],
  ['exchange'],
  ['runtime'],
  ['report'],
  ['history', 'why', 'alerts', 'metrics'],
  ['testing'],
  ['certify'],
  ['app'],
  ['research'],
  ['console'],
  ['cli'],
];

/** Layers that `backtest/` must not import. */
export const CLOSED_TO_BACKTEST: ReadonlySet<string> = new Set([
  'runtime',
  'history',
  'why',
  'alerts',
  'metrics',
  'testing',
  'certify',
  'app',
  'research',
  'console',
  'cli',
]);

/** Layers of `src` that may import `backtest/`. */
export const OPEN_TO_BACKTEST: ReadonlySet<string> = new Set([
  'why',
  'testing',
  'certify',
  'app',
  'research',
  'console',
  'cli',
]);

/** A set of pure files and the packages, themselves pure, that they may load. */
interface Purity {
  readonly files: RegExp;
  readonly packages: readonly string[];
}

/**
 * Pure files: they read no clock, draw no random number, await nothing and touch no file, socket or environment. The
 * first row that matches applies.
 */
const PURE: readonly Purity[] = [
  { files: /^src\/report\/text\/text-width\.ts$/, packages: ['string-width'] },
  { files: /^src\/base\/near-name\.ts$/, packages: ['fastest-levenshtein'] },
  { files: /^src\/(base|domain|state|strategy|risk|execution|report)\//, packages: [] },
  { files: /^src\/engine(\.ts|\/)/, packages: [] },
  { files: /^src\/kit\//, packages: ['csv-parse', 'simple-statistics', 'zod'] },
  { files: /^src\/index\.ts$/, packages: ['zod'] },
  { files: /^strategies\/(?!.*\.test\.ts$)/, packages: ['presage-trading'] },
  { files: /^src\/transport\/backoff\.ts$/, packages: [] },
  { files: /^src\/tape\/baked\/tape-rows\.ts$/, packages: [] },
  { files: /^src\/venues\/simulated\//, packages: ['pure-rand'] },
  { files: /^src\/venues\/[^/]+\/(profiles|wire)\//, packages: ['zod'] },
  { files: /^src\/venues\/trade-api\/(normalize\/|rest\/market-shards\.ts$)/, packages: ['zod'] },
  { files: /^src\/venues\/trade-api\/(scan\/|signing\/sign-text\.ts$)/, packages: [] },
  { files: /^src\/exchange\/flow\//, packages: ['pure-rand'] },
  { files: /^src\/research\/statistics\//, packages: ['jstat', 'pure-rand'] },
  { files: /^src\/research\/(search|splits|trial)\//, packages: ['pure-rand'] },
  { files: /^src\/exchange\/(machine|accounts|markets)\//, packages: [] },
  { files: /^src\/exchange\/(store\/exchange-image|session\/exchange-session)\.ts$/, packages: [] },
];

/** Returns the packages that a pure file may load, or `null` when the file need not be pure. */
export const purityOf = (file: string): readonly string[] | null =>
  PURE.find((purity) => purity.files.test(file))?.packages ?? null;

/** Files of src that may read files or the environment. */
const READERS: readonly RegExp[] = [
  /^src\/(config|tape|history|why|alerts|metrics|certify|app|console|cli)\//,
  /^src\/research\/(artifacts|calibration|compare|export|ledger|runs|study|workers)\//,
  /^src\/research\/queue\/study-setup\.ts$/,
  /^src\/log(\.ts|\/)/,
  /^src\/venues\/trade-api\/signing\/key-files\.ts$/,
  /^src\/exchange\/store\/(incident-file|input-store(-lines)?)\.ts$/,
  /^src\/runtime\/plugins\//,
  // Its socket is a file.
  /^src\/runtime\/operator\/control-server\.ts$/,
  // It checks that the folder is still the same one.
  /^src\/runtime\/saved\/data-folder\.ts$/,
];

export const mayRead = (file: string): boolean => !file.startsWith('src/') || READERS.some((row) => row.test(file));

/** True for files that may import a path computed at run time. */
export const mayImportComputed = (file: string): boolean =>
  /^src\/runtime\/plugins\/strategy-loader\.ts$/.test(file) || file.startsWith('test/');

/** Files of src that may load others after they were loaded themselves, before anything is traded or halted. */
const LAZY: ReadonlySet<string> = new Set([
  'src/cli/command-list.ts',
  'src/app/venue/open-venue.ts',
  'src/app/session/metrics-port.ts',
  // Nothing is traded. A journal is inspected and verified without an engine.
  'src/cli/journal-command.ts',
  // Studies trade nothing, and few use a queue.
  'src/cli/study-command.ts',
  'src/cli/study/study-runner.ts',
  'src/cli/study/study-worker.ts',
  // The page loads the chart when a market is opened.
  'src/console/page/parts/shell.tsx',
]);

export const mayImportLazily = (file: string): boolean => !file.startsWith('src/') || LAZY.has(file);

/** True for code that runs in a browser. */
export const isPage = (file: string): boolean => file.startsWith('src/console/page/');
/** Files outside of the page that it may import. Those of schemas only for their types. */
export const PAGE_IMPORTS =
  /^src\/(base|domain|console\/api|risk\/risk-limits|runtime\/follow\/follow-messages|why\/why-answer)(\/|\.ts$)/;

/** Folders whose files are all of one kind, with any number of them. */
export const FOLDERS_OF_ONE_KIND: ReadonlySet<string> = new Set(['src/cli']);

/** Names of a whole folder or file that carry no meaning. */
export const VAGUE_NAMES: ReadonlySet<string> = new Set([
  'utils',
  'util',
  'common',
  'helpers',
  'helper',
  'core',
  'services',
  'manager',
  'managers',
  'misc',
]);
/** Words that carry no meaning anywhere in a name. */
export const VAGUE_WORDS: ReadonlySet<string> = new Set(['utils', 'util', 'helpers', 'helper', 'manager', 'managers']);

/** Returns the layer of a file in src, as named in `LAYERS`. */
export const layerOf = (file: string): string => /^src\/([^/]+?)(?:\.ts)?(?:\/|$)/.exec(file)?.[1] ?? '';

/** Returns the position of a layer from left to right, or -1 when there is no such layer. */
export const rankOf = (layer: string): number => LAYERS.findIndex((group) => group.includes(layer));
