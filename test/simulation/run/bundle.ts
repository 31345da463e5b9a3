// Bundles a simulation and all its sources into one file that a child process can run, with planted bugs if requested.
// Sources on disk are never changed: a planted bug changes the text on its way into the bundle.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, build } from 'esbuild';

/** A change of one place in a source. */
export interface Patch {
  /** From the root, such as `src/engine.ts`. */
  readonly file: string;
  /** Text that must occur exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** The root folder of the repository: sources are read from there, wherever this runs. */
export const ROOT = rootOf(dirname(fileURLToPath(import.meta.url)));

function rootOf(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootOf(dirname(folder));
}

/** A bundle on disk. */
export interface Bundle {
  /** The file that a child process runs. */
  readonly file: string;
  remove(): void;
}

/**
 * Makes a bundle of the child process's entry.
 * @throws {Error} when a patch does not find its text exactly once, or the sources do not compile.
 */
export async function bundleChild(patches: readonly Patch[] = []): Promise<Bundle> {
  // Inside the repository, so that packages are found.
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'dist', 'simulation-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const file = join(folder, 'child.mjs');
  try {
    const applied = new Set<Patch>();
    await build({
      entryPoints: [join(ROOT, 'test/simulation/run/child.ts')],
      outfile: file,
      bundle: true,
      packages: 'external',
      platform: 'node',
      target: 'node20',
      format: 'esm',
      sourcemap: 'inline',
      alias: { presage: join(ROOT, 'src/index.ts') },
      plugins: [patching(patches, applied)],
      logLevel: 'silent',
    });
    const missed = patches.find((patch) => !applied.has(patch));
    if (missed) throw new Error(`${missed.file} is not part of the simulation`);
    return { file, remove };
  } catch (fault) {
    remove();
    throw fault;
  }
}

function patching(patches: readonly Patch[], applied: Set<Patch>): Plugin {
  return {
    name: 'plants',
    setup(building) {
      if (patches.length === 0) return;
      building.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const ours = patches.filter(({ file }) => path === join(ROOT, file));
        if (ours.length === 0) return undefined;
        const contents = ours.reduce((text, patch) => applyPatch(text, patch), readFileSync(path, 'utf8'));
        for (const patch of ours) applied.add(patch);
        return { contents, loader: 'ts' };
      });
    },
  };
}

/**
 * A source with a patch applied.
 * @throws {Error} when the patch's text does not occur exactly once.
 */
export function applyPatch(text: string, { file, find, replace }: Patch): string {
  const times = text.split(find).length - 1;
  if (times !== 1) throw new Error(`${file}: expected once, found ${times} times: ${find}`);
  return text.replace(find, () => replace);
}
