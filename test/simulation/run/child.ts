// A child process that runs one seed after another. Must never run two simulations at once.
import { type SimulationResult, runSimulation } from '../simulation.ts';

/** A request to a child. */
export interface RunRequest {
  readonly seed: number;
  readonly dialect: string;
  /** True to run the seed twice and compare. */
  readonly isTwice: boolean;
  readonly isVerbose: boolean;
}

async function carryOut({ seed, dialect, isTwice, isVerbose }: RunRequest): Promise<SimulationResult> {
  const onLine = isVerbose ? (line: string): void => void process.stdout.write(`${line}\n`) : undefined;
  const outcome = await runSimulation(seed, { dialect, onLine });
  if (!isTwice || outcome.violation !== null) return outcome;
  const again = await runSimulation(seed, { dialect });
  if (again.digest === outcome.digest) return outcome;
  const text = `two runs of seed ${seed} give ${outcome.digest} and ${again.digest}`;
  return { ...outcome, violation: { invariant: 'SAME', text, atMs: outcome.virtualMs } };
}

// tidy: as — only the pool sends messages to this process.
process.on('message', (message) => {
  void carryOut(message as RunRequest).then((outcome) => process.send?.(outcome));
});
