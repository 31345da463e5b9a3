#!/usr/bin/env node
// Builds the program and the page of its console: `npm run build`. Does nothing when the newest build has the same inputs.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './builds.js';

const root = join(import.meta.dirname, '..');
const compiler = join(root, 'node_modules/typescript-native');

if (!existsSync(compiler)) {
  process.stderr.write(`build: ${root} has no compiler installed: run npm ci first\n`);
  process.exit(1);
}
// The page's bundler is a package, too: it can be loaded only once the packages are installed.
const { PAGE_PACKAGES, buildPage } = await import('./page-build.js');

/** @param {string} name */
function versionOf(name) {
  /** @type {{ version: string }} */
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
  return version;
}

/** @param {string} folder */
function compile(folder) {
  const args = [join(compiler, 'bin/tsc'), '-p', 'tsconfig.build.json', '--outDir', folder];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 'inherit'] });
  return status === 0 && buildPage({ root, folder: join(folder, 'console') });
}

const page = PAGE_PACKAGES.map((name) => `${name} ${versionOf(name)}`).join(', ');
if (build({ root, compiler: `typescript ${versionOf('typescript-native')}, ${page}`, compile }) === 'failed')
  process.exitCode = 1;
