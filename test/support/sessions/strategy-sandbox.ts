// A folder outside the repository in which a plain node process loads strategy files, as it does for a user.
// `presage-trading` and `zod` are installed packages there, made from the current sources, so no build is needed first.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Packages that the public surface and the loader import. */
const PACKAGES = ['zod', 'esbuild', 'csv-parse', 'fastest-levenshtein', 'simple-statistics'];

/** Result of loading one file. */
export interface LoadResult {
  readonly ok?: { readonly name: string; readonly description: string };
  /** The parsed parameters, or the message with which they are refused. */
  readonly params?: unknown;
  readonly refused?: string;
  /** Stack of the error that `bind` threw. */
  readonly bound?: string;
  readonly error?: { readonly name: string; readonly message: string; readonly path: string };
}

const RUNNER = `
import { loadStrategy } from './loader.mjs';
const results = [];
for (const { path, params } of JSON.parse(process.argv[2])) {
  try {
    const strategy = await loadStrategy(path);
    const { name, description } = strategy;
    const parsed = strategy.params.safeParse(params);
    let bound;
    try { strategy.bind('s', params); } catch (fault) { bound = fault.stack; }
    results.push({ ok: { name, description }, params: parsed.data, refused: parsed.error?.issues[0].message, bound });
  } catch (error) {
    results.push({ error: { name: error.name, message: error.message, path: error.path } });
  }
}
process.stdout.write(JSON.stringify(results));
`;

/** The sandbox folder. */
export class StrategySandbox {
  readonly folder = mkdtempSync(join(tmpdir(), 'presage-strategies-'));

  /** Installs the packages and the loader. */
  async installPackages(): Promise<this> {
    const modules = join(this.folder, 'node_modules');
    const presage = join(modules, 'presage-trading');
    mkdirSync(presage, { recursive: true });
    for (const name of PACKAGES) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
    writeFileSync(join(presage, 'package.json'), '{"name":"presage-trading","type":"module","exports":"./index.js"}');
    writeFileSync(join(this.folder, 'runner.mjs'), RUNNER);
    const shared = { bundle: true, packages: 'external', platform: 'node', format: 'esm' } as const;
    await Promise.all([
      build({ ...shared, entryPoints: [join(ROOT, 'src/index.ts')], outfile: join(presage, 'index.js') }),
      build({
        ...shared,
        entryPoints: [join(ROOT, 'src/runtime/plugins/strategy-loader.ts')],
        outfile: join(this.folder, 'loader.mjs'),
      }),
    ]);
    return this;
  }

  /** Writes a file and returns its path. */
  writeFile(name: string, text: string): string {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /** Loads files in one process, which runs in another folder. */
  async loadFiles(...files: readonly { readonly path: string; readonly params?: unknown }[]): Promise<LoadResult[]> {
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, [join(this.folder, 'runner.mjs'), JSON.stringify(files)], {
      cwd: tmpdir(),
    });
    return JSON.parse(stdout) as LoadResult[];
  }

  /** Lists everything in a folder of the sandbox, packages included. */
  listFolder(name = '.'): string[] {
    return readdirSync(join(this.folder, name)).sort();
  }

  close(): void {
    rmSync(this.folder, { recursive: true });
  }
}
