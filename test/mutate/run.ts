// Plants one bug and runs the tests of its room against it. Must never count a run that could not start as a bug
// noticed.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import { ROOT } from '../simulation/run/bundle.ts';
import { runPlantedBugs } from '../simulation/run/planted-bug-run.ts';
import { type Mutation, ROOMS } from './mutations.ts';

/**
 * The result for a planted bug: noticed or not, and what noticed it first. `where` is a test file and `by` the title of
 * its test, or `where` is a number of seeds and `by` the invariant that broke in the last of them.
 */
export type MutationResult =
  | { readonly mutation: Mutation; readonly isNoticed: true; readonly where: string; readonly by: string }
  | { readonly mutation: Mutation; readonly isNoticed: false };

/** Time limit of a run. Milliseconds. */
const RUN_MS_MAX = 300_000;
/** Number of simulations to run. A bug that none of them shows counts as not noticed by the simulation. */
const SEEDS_MAX = 60;

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
    const failed = assertionResults.find((test) => test.status === 'failed');
    const file = name.slice(ROOT.length + 1);
    if (failed) return { mutation, isNoticed: true, where: file, by: failed.fullName };
    if (status === 'failed') throw new Error(`${file} could not run: ${message}`);
  }
  if (report.numTotalTests === 0) throw new Error(`no test ran for ${mutation.file}`);
  return { mutation, isNoticed: false };
}

/**
 * Runs simulations against a mutation until an invariant fails. A bug in a file that no simulation uses counts as not
 * noticed.
 */
export async function simulateMutation(mutation: Mutation): Promise<MutationResult> {
  const { name, room, file, find, replace } = mutation;
  const plant = { name, breaks: room, patches: [{ file, find, replace }] };
  try {
    const { rows } = await runPlantedBugs({
      jobs: 2,
      plants: [plant],
      seedsMax: SEEDS_MAX,
      onProgress: () => undefined,
    });
    const [row] = rows;
    if (row === undefined || row.seeds === null) return { mutation, isNoticed: false };
    return { mutation, isNoticed: true, where: `${row.seeds} seeds`, by: `${row.invariant ?? ''} ${row.text ?? ''}` };
  } catch (fault) {
    if (fault instanceof Error && fault.message.endsWith('is not part of the simulation'))
      return { mutation, isNoticed: false };
    throw fault;
  }
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
