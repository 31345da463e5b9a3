// Plants one bug and runs the tests of its room against it. Must never count a run that could not start as a bug noticed.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import { ROOT } from '../simulation/bundle.ts';
import { type Mutation, ROOMS } from './mutations.ts';

/** Whether the tests notice a planted bug, and the first test that does. */
export type MutationResult =
  | { readonly mutation: Mutation; readonly isNoticed: true; readonly file: string; readonly test: string }
  | { readonly mutation: Mutation; readonly isNoticed: false };

/** A run that takes longer than this is ended. Milliseconds. */
const RUN_MS_MAX = 300_000;

const reportSchema = z.object({
  numTotalTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

/**
 * Runs the tests of a mutation's room against it.
 * @throws {Error} when the runner gives no report, or runs no test.
 */
export async function runMutation(mutation: Mutation): Promise<MutationResult> {
  const text = await reportOf(mutation);
  const report = reportSchema.parse(JSON.parse(text));
  for (const { name, status, message, assertionResults } of report.testResults) {
    const failed = assertionResults.find((one) => one.status === 'failed');
    const file = name.slice(ROOT.length + 1);
    if (failed) return { mutation, isNoticed: true, file, test: failed.fullName };
    if (status === 'failed') throw new Error(`${file} could not run: ${message}`);
  }
  if (report.numTotalTests === 0) throw new Error(`no test ran for ${mutation.file}`);
  return { mutation, isNoticed: false };
}

function reportOf(mutation: Mutation): Promise<string> {
  const { file, find, replace, room } = mutation;
  const args = ['run', '--config', 'test/mutate/vitest.config.ts', ...ROOMS[room].map((folder) => `${folder}/`)];
  const child = spawn(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), ...args], {
    cwd: ROOT,
    env: { ...process.env, PRESAGE_MUTATION: JSON.stringify({ file, find, replace }) },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: RUN_MS_MAX,
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      const at = out.indexOf('{"numTotalTestSuites"');
      if (at >= 0) resolve(out.slice(at));
      else reject(new Error(`the tests of ${mutation.file} gave no report: ${(err || out).slice(-2000)}`));
    });
  });
}
