#!/usr/bin/env node
// Builds the program: `npm run build`. Does nothing when the newest build has the same inputs.
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
/** @type {{ version: string }} */
const { version } = JSON.parse(readFileSync(join(compiler, 'package.json'), 'utf8'));

/** @param {string} folder */
function compile(folder) {
  const args = [join(compiler, 'bin/tsc'), '-p', 'tsconfig.build.json', '--outDir', folder];
  return spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 'inherit'] }).status === 0;
}

if (build({ root, compiler: `typescript ${version}`, compile }) === 'failed') process.exitCode = 1;
