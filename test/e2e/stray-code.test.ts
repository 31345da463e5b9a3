// The program refuses or reports what a strategy's code does to its process, with the line: `process.exit`, an error in
// a callback, an endless loop.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT, builtModule, presage } from './presage.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;

const strategyText = (setup: string): string => `import { defineStrategy, z } from 'presage-trading';
export default defineStrategy({ name: 'stray', params: z.strictObject({}),
  setup() { ${setup} } });
`;

let folder = '';
beforeAll(() => {
  mkdirSync(join(ROOT, 'var'), { recursive: true });
  folder = mkdtempSync(join(ROOT, 'var', 'stray-code-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a backtest of a strategy with this body of `setup`. */
function backtestOf(name: string, setup: string) {
  writeFileSync(join(folder, name), strategyText(setup));
  return presage('backtest', '--config', 'config/backtest.yaml', '--strategy', join(folder, name), '--json');
}

it(
  'process.exit halts the strategy, and the report says where',
  async () => {
    const { code, stdout } = await backtestOf('leaver.mjs', 'return { onBook: () => process.exit(0) };');
    expect(code).toBe(1);
    expect(stdout).toContain('process.exit was called: a strategy must not end the process (leaver.mjs:3)');
  },
  TIMEOUT_MS,
);

it(
  'an error in a callback ends the backtest with the line, and without a stack',
  async () => {
    const setup = "setTimeout(() => { throw new Error('late'); }, 1); return { onBook() {} };";
    const { code, stdout, stderr } = await backtestOf('caller.mjs', setup);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe('presage: an error outside of every handler ended the command: Error: late (caller.mjs:3)\n');
  },
  TIMEOUT_MS,
);

it(
  'a timer that a strategy leaves behind does not turn the exit code of a failure into 0',
  async () => {
    const setup = "setInterval(() => undefined, 100); return { onBook() { throw new Error('early'); } };";
    const { code, stdout } = await backtestOf('lingerer.mjs', setup);
    expect(stdout).toContain('early (lingerer.mjs:3)');
    expect(code).toBe(1);
  },
  TIMEOUT_MS,
);

/** Runs a program in which the main thread is watched, and returns its output and exit code. */
async function watched(work: string, ...flags: readonly string[]): Promise<unknown> {
  const file = join(folder, 'watched.mjs');
  const module = JSON.stringify(builtModule('app/stuck-code'));
  writeFileSync(
    file,
    `import { watchStuckCode } from ${module};
const watch = watchStuckCode({ afterMs: 200, onStuck: (place) => { console.log('stuck' + place); return 1; } });
process.on('SIGINT', () => undefined);
await new Promise((resolve) => setTimeout(resolve, 1));
${work}
watch.release();
console.log('done');
`,
  );
  return promisify(execFile)(process.execPath, [...flags, file]).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Readonly<Record<'code' | 'stdout' | 'stderr', unknown>>) => ({ code, stdout, stderr }),
  );
}

it(
  'an endless loop is ended with its line, although signals have handlers',
  async () => {
    expect(await watched('for (;;);')).toEqual({ code: 1, stdout: 'stuck (watched.mjs:5)\n', stderr: '' });
  },
  TIMEOUT_MS,
);

it(
  'an endless loop in the callback of a timer is ended with its line',
  async () => {
    const work = 'setTimeout(() => { for (;;); }, 1); await new Promise((resolve) => setTimeout(resolve, 60_000));';
    expect(await watched(work)).toEqual({ code: 1, stdout: 'stuck (watched.mjs:5)\n', stderr: '' });
  },
  TIMEOUT_MS,
);

it(
  'an endless loop is ended where process.exit is refused to strategies',
  async () => {
    const faults = JSON.stringify(builtModule('app/author-faults'));
    const work = `(await import(${faults})).refuseExitToStrategies(); for (;;);`;
    expect(await watched(work)).toEqual({ code: 1, stdout: 'stuck (watched.mjs:5)\n', stderr: '' });
  },
  TIMEOUT_MS,
);

it(
  'a strategy that does not return while it is loaded ends the command with its line',
  async () => {
    const strategy = join(folder, 'endless.mjs');
    writeFileSync(
      strategy,
      `import { defineStrategy } from 'presage-trading';\nfor (;;);\nexport default defineStrategy({});\n`,
    );
    const load = JSON.stringify(builtModule('app/strategy/watched-load'));
    const loader = JSON.stringify(builtModule('runtime/plugins/strategy-loader'));
    const work = `watch.release();
const { watchedLoad } = await import(${load});
const { loadPlugin } = await import(${loader});
const onStuck = (place) => { console.log('not loaded' + place); return 2; };
await watchedLoad(() => loadPlugin(${JSON.stringify(strategy)}), { afterMs: 200, onStuck });`;
    expect(await watched(work)).toEqual({ code: 2, stdout: 'not loaded (endless.mjs:2)\n', stderr: '' });
  },
  TIMEOUT_MS,
);

it(
  'work that ends is not disturbed, and nothing is watched after it',
  async () => {
    expect(await watched('')).toEqual({ code: 0, stdout: 'done\n', stderr: '' });
  },
  TIMEOUT_MS,
);

it(
  'code that a debugger may hold is not ended',
  async () => {
    const work = 'const until = performance.now() + 1500; while (performance.now() < until);';
    expect(await watched(work)).toMatchObject({ code: 1 });
    expect(await watched(work, '--inspect=127.0.0.1:0')).toMatchObject({ code: 0, stdout: 'done\n' });
  },
  TIMEOUT_MS,
);

it(
  'long work of the program itself is not ended',
  async () => {
    const own = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
const until = performance.now() + 1500; while (performance.now() < until);`;
    const file = JSON.stringify(builtModule('long-work'));
    const work = `const { compileFunction } = await import('node:vm');
setImmediate(compileFunction(${JSON.stringify(own)}, [], { filename: ${file} }));
await new Promise((resolve) => setImmediate(resolve));`;
    expect(await watched(work)).toEqual({ code: 0, stdout: 'done\n', stderr: '' });
  },
  TIMEOUT_MS,
);

it(
  'a row of calls that takes long is not ended, and one of them is',
  async () => {
    const calls = (count: number, eachMs: number) => `let time = 0;
watch.followTime(() => time);
for (; time < ${count}; time++) { const until = performance.now() + ${eachMs}; while (performance.now() < until); }`;
    expect(await watched(calls(40, 40))).toEqual({ code: 0, stdout: 'done\n', stderr: '' });
    expect(await watched(calls(1, 1500))).toMatchObject({ code: 1, stderr: '' });
  },
  TIMEOUT_MS,
);
