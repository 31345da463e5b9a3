// The compiler's process exists while it is used, by one or by several at once, and ends afterwards.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtModule } from '../../e2e/presage.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-compiler-'));
  for (const name of ['a', 'b']) writeFileSync(join(folder, `${name}.ts`), `export const name: string = '${name}';\n`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Bundles the files in a process of its own, and returns how many child processes that has before, during and after.
 */
const bundling = (): string => `
import { readFileSync } from 'node:fs';
import { bundlePlugin } from '${builtModule('runtime/plugins/plugin-bundle')}';

const children = () => readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').split(' ').filter(Boolean).length;
const before = children();
const bundling = process.argv.slice(1).map((file) => bundlePlugin(file));
const meanwhile = children();
const bundles = await Promise.all(bundling);
// A process that was ended is gone a moment later.
for (let tries = 0; children() > 0 && tries < 1000; tries++) await new Promise((resolve) => setTimeout(resolve, 10));
const after = children();
const again = await bundlePlugin(process.argv[1]);
console.log(JSON.stringify([before, meanwhile, after, bundles.map(({ code }) => code.length > 0), again.code.length > 0]));
process.exit(0);
`;

describe.runIf(existsSync('/proc/self/task'))('the process that compiles strategies', () => {
  it.each([[['a.ts']], [['a.ts', 'b.ts']]])(
    'ends once %j are compiled, and starts again when needed',
    async (names) => {
      const args = ['--input-type=module', '--eval', bundling(), ...names.map((name) => join(folder, name))];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      const [before, meanwhile, after, areMade, isMadeAgain] = JSON.parse(stdout) as unknown[];
      expect({ before, meanwhile, after }).toEqual({ before: 0, meanwhile: 1, after: 0 });
      expect(areMade).toEqual(names.map(() => true));
      expect(isMadeAgain).toBe(true);
    },
  );
});
