// Builds of the program. Each has its own folder in `dist/builds`, named by the hash of its inputs. The files in `dist`
// that package.json names are entries that import the newest build. A process keeps the build that it started with.
// Must never change a file of a build once its folder has its name, nor delete one of the ten newest builds.
import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';

/**
 * Entries that import the newest build, by their path in it: files that package.json names or that its scripts run.
 * @typedef {{ readonly path: string, readonly isProgram?: boolean, readonly hasTypes?: boolean }} Entry
 * @type {readonly Entry[]}
 */
export const ENTRIES = [
  { path: 'src/cli/main', isProgram: true },
  { path: 'src/index', hasTypes: true },
  { path: 'src/testing/testing-entry', hasTypes: true },
  { path: 'src/research/research-entry', hasTypes: true },
  { path: 'test/bench/main' },
  { path: 'test/bench/page-main' },
  { path: 'test/crash/main' },
  { path: 'test/crash/queue-main' },
  { path: 'test/mutate/main' },
  { path: 'test/simulation/main' },
  { path: 'test/soak/main' },
];

/** Number of builds that are kept: the newest, and those that processes may still run. */
const KEPT = 10;
/** Age at which the folder of an interrupted build is deleted. Milliseconds. */
const ABANDONED_MS = 3_600_000;
const SETTINGS = ['tsconfig.json', 'tsconfig.build.json'];
const ID = /^[0-9a-f]{12}$/;
/** Sources of the program, and of the page of its console. */
const SOURCE = /\.(?:tsx?|css|html)$|(?:^|\/)page\/tsconfig\.json$/;
/** Bundles that stem from many sources, all of which the settings list. */
const BUNDLED = /^console\//;

/**
 * Makes a build, unless the newest build has the same inputs.
 * @param {object} options
 * @param {string} options.root the project's folder
 * @param {string} options.compiler name of the compiler, which changes with its version
 * @param {(folder: string) => boolean} options.compile compiles into a folder; returns true on success
 * @param {readonly Entry[]} [options.entries]
 * @returns {'current' | 'made' | 'failed'}
 */
export function build({ root, compiler, compile, entries = ENTRIES }) {
  const place = join(root, 'dist/builds');
  const listed = listedSources(root);
  if (isCurrent({ root, compiler, listed, entries })) return 'current';
  const folder = join(place, `.new-${randomUUID()}`);
  mkdirSync(folder, { recursive: true });
  try {
    const before = digests(root, listed);
    if (!compile(folder)) return 'failed';
    const inputs = digests(root, [...new Set([...listed, ...emittedSources(folder)])].sort());
    const isSteady = Object.entries(before).every(([file, hash]) => inputs[file] === hash);
    // The build may contain these changes or not.
    if (!isSteady) return build({ root, compiler, compile, entries });
    const made = { compiler, inputs };
    const id = sha256(JSON.stringify(made)).slice(0, 12);
    settle(folder, join(place, id));
    point(root, id, entries);
    replace(join(place, 'newest.json'), `${JSON.stringify({ id, ...made })}\n`);
    prune(place, id);
    return 'made';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Returns true when the newest build has the current inputs and its entries are in place.
 * @param {{ root: string, compiler: string, listed: readonly string[], entries: readonly Entry[] }} options
 */
function isCurrent({ root, compiler, listed, entries }) {
  const newest = join(root, 'dist/builds/newest.json');
  if (!existsSync(newest)) return false;
  /** @type {{ id: string, compiler: string, inputs: Record<string, string> }} */
  const { id, compiler: former, inputs } = JSON.parse(readFileSync(newest, 'utf8'));
  if (former !== compiler || !existsSync(join(root, 'dist/builds', id))) return false;
  if (listed.some((file) => inputs[file] === undefined)) return false;
  const now = digests(root, Object.keys(inputs));
  if (Object.entries(inputs).some(([file, hash]) => now[file] !== hash)) return false;
  return entryFiles(id, entries).every(({ file, text }) => textOf(join(root, 'dist', file)) === text);
}

/** @param {string} path */
const textOf = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : null);

/**
 * Lists the sources that the settings include, and the settings. Further imported sources are known after compiling.
 * @param {string} root
 */
function listedSources(root) {
  /** @type {{ include: string[] }} */
  const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'));
  const sources = include.flatMap((part) =>
    filesIn(join(root, part)).flatMap((file) => (SOURCE.test(file) ? posix.join(part, file) : [])),
  );
  return [...SETTINGS, ...sources].sort();
}

/**
 * Lists the sources of the emitted files.
 * @param {string} folder
 */
const emittedSources = (folder) =>
  filesIn(folder).flatMap((file) =>
    /\.(?:js|json)$/.test(file) && !BUNDLED.test(file) ? [file.replace(/\.js$/, '.ts')] : [],
  );

/**
 * Lists the files in a folder and below, with `/` on every platform.
 * @param {string} folder
 */
const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')] : [],
  );

/**
 * Returns the SHA-256 of each file; empty for a missing file.
 * @param {string} root
 * @param {readonly string[]} files
 * @returns {Record<string, string>}
 */
const digests = (root, files) =>
  Object.fromEntries(
    files.map((file) => [file, existsSync(join(root, file)) ? sha256(readFileSync(join(root, file))) : '']),
  );

/** @param {string | Uint8Array} content */
const sha256 = (content) => createHash('sha256').update(content).digest('hex');

/**
 * Gives a finished build its name. An existing build of that name is equal and is kept.
 * @param {string} folder
 * @param {string} named
 */
function settle(folder, named) {
  const now = new Date();
  if (!existsSync(named)) {
    try {
      renameSync(folder, named);
    } catch (fault) {
      // A parallel build of the same inputs was faster.
      if (!existsSync(named)) throw fault;
    }
  }
  utimesSync(named, now, now);
}

/**
 * Points the entries at a build, and makes npm pack only that build, without its tests and example strategies.
 * @param {string} root
 * @param {string} id
 * @param {readonly Entry[]} entries
 */
function point(root, id, entries) {
  for (const { file, text, isProgram } of entryFiles(id, entries)) replace(join(root, 'dist', file), text, isProgram);
  replace(join(root, 'dist/builds/.npmignore'), `/*\n!/${id}/\n/${id}/strategies/\n/${id}/test/\n`);
}

/**
 * @param {string} id
 * @param {readonly Entry[]} entries
 */
function entryFiles(id, entries) {
  return entries.flatMap(({ path, isProgram = false, hasTypes = false }) => {
    const target = `${'../'.repeat(path.split('/').length - 1)}builds/${id}/${path}.js`;
    const names = `export * from '${target}';\n`;
    const program = `#!/usr/bin/env node\nimport '${target}';\n`;
    const code = { file: `${path}.js`, text: isProgram ? program : names, isProgram };
    return hasTypes ? [code, { file: `${path}.d.ts`, text: names, isProgram: false }] : [code];
  });
}

/**
 * Replaces a file atomically.
 * @param {string} path
 * @param {string} text
 */
function replace(path, text, isProgram = false) {
  const fresh = `${path}.${randomUUID()}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(fresh, text);
  if (isProgram) chmodSync(fresh, 0o755);
  renameSync(fresh, path);
}

/**
 * Deletes all but the newest builds, and the folders of interrupted builds.
 * @param {string} place
 * @param {string} newest
 */
function prune(place, newest) {
  /** @param {string} name */
  const ageMs = (name) => Date.now() - statSync(join(place, name)).mtimeMs;
  const names = readdirSync(place);
  const others = names.filter((name) => ID.test(name) && name !== newest).sort((a, b) => ageMs(a) - ageMs(b));
  const abandoned = names.filter((name) => name.startsWith('.new-') && ageMs(name) > ABANDONED_MS);
  for (const name of [...others.slice(KEPT - 1), ...abandoned])
    rmSync(join(place, name), { recursive: true, force: true });
}
