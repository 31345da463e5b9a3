// The plan of the house as tables: the order of the rooms, which files are pure, who may read files.
// The same plan is drawn in src/README.md; whoever changes one changes both.

/** Rooms from left to right. Each imports only from groups to its left; rooms of one group not from each other. */
export const ROOMS: readonly (readonly string[])[] = [
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
  ['testing'],
  ['certify'],
  ['cli'],
];

/** Rooms that `backtest/` must not enter. */
export const CLOSED_TO_BACKTEST: ReadonlySet<string> = new Set(['runtime', 'testing', 'certify', 'cli']);

/** Rooms of `src` that may enter `backtest/`. */
export const OPEN_TO_BACKTEST: ReadonlySet<string> = new Set(['testing', 'certify', 'cli']);

/** A set of pure files and the packages, themselves pure, that they may load. */
interface Purity {
  readonly files: RegExp;
  readonly packages: readonly string[];
}

/** Pure files: no clock, no chance, no waiting, no world. The first row that matches holds. */
const PURE: readonly Purity[] = [
  { files: /^src\/report\/width\.ts$/, packages: ['string-width'] },
  { files: /^src\/domain\/near-name\.ts$/, packages: ['fastest-levenshtein'] },
  { files: /^src\/(domain|state|strategy|risk|execution|report)\//, packages: [] },
  { files: /^src\/engine(\.ts|\/)/, packages: [] },
  { files: /^src\/kit\//, packages: ['csv-parse', 'simple-statistics', 'zod'] },
  { files: /^src\/index\.ts$/, packages: ['zod'] },
  { files: /^strategies\/(?!.*\.test\.ts$)/, packages: ['presage-trading'] },
  { files: /^src\/transport\/backoff\.ts$/, packages: [] },
  { files: /^src\/tape\/baked\/rows\.ts$/, packages: [] },
  { files: /^src\/venues\/simulated\//, packages: ['pure-rand'] },
  { files: /^src\/venues\/[^/]+\/(profiles|wire)\//, packages: ['zod'] },
  { files: /^src\/venues\/[^/]+\/(shards|normalize[^/]*|profile)\.ts$/, packages: ['zod'] },
  { files: /^src\/venues\/[^/]+\/(scan[^/]*|sign-message)\.ts$/, packages: [] },
  { files: /^src\/exchange\/flow\/(?!driver)/, packages: ['pure-rand'] },
  { files: /^src\/exchange\/(?!store|driver)[^/]+\.ts$/, packages: [] },
];

/** The packages a pure file may load, or `null` when the file need not be pure. */
export const purityOf = (file: string): readonly string[] | null =>
  PURE.find((purity) => purity.files.test(file))?.packages ?? null;

/** Files of src that may read files or the environment. */
const READERS: readonly RegExp[] = [
  /^src\/(config|tape|certify|cli)\//,
  /^src\/log(\.ts|\/)/,
  /^src\/venues\/trade-api\/keys\.ts$/,
  /^src\/exchange\/store(-lines)?\.ts$/,
  /^src\/runtime\/plugins\//,
  // Its socket is a file.
  /^src\/runtime\/control\.ts$/,
  // It looks whether the folder is still the same.
  /^src\/runtime\/data-folder\.ts$/,
];

export const mayRead = (file: string): boolean => !file.startsWith('src/') || READERS.some((row) => row.test(file));

/** Files that may import a path they are told at run time. */
export const mayImportComputed = (file: string): boolean =>
  /^src\/runtime\/plugins\/load\.ts$/.test(file) || file.startsWith('test/');

/** Files of src that may load others after they are loaded themselves, before anything is traded or halted. */
const LAZY: ReadonlySet<string> = new Set(['src/cli/program.ts', 'src/cli/open-venue.ts']);

export const mayImportLazily = (file: string): boolean => !file.startsWith('src/') || LAZY.has(file);

/** Names that say nothing: of a folder or a file, whole. */
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
/** Words that say nothing anywhere in a name. */
export const VAGUE_WORDS: ReadonlySet<string> = new Set(['utils', 'util', 'helpers', 'helper', 'manager', 'managers']);

/** The room of a file in src, as in `ROOMS`. */
export const roomOf = (file: string): string => /^src\/([^/]+?)(?:\.ts)?(?:\/|$)/.exec(file)?.[1] ?? '';

/** The place of a room from left to right, -1 when there is no such room. */
export const rankOf = (room: string): number => ROOMS.findIndex((group) => group.includes(room));
