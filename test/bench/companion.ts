// The other half of a scenario, in a process of its own: a server or a sender with a core to itself. Must never outlive
// the scenario: it ends when the channel to its parent closes.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A running companion. */
export interface Companion<Ready> {
  /** Its first message: the addresses at which it listens. */
  readonly ready: Ready;
  /** Sends it a message; resolves to its next one. */
  ask(message: unknown): Promise<unknown>;
  stop(): void;
}

/** Starts a file of `companions/`, by name; resolves when it is ready. */
export async function startCompanion<Ready>(name: string): Promise<Companion<Ready>> {
  const file = fileURLToPath(new URL(`./companions/${name}.js`, import.meta.url));
  const child = fork(file, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], serialization: 'advanced' });
  const ready = await nextMessage(child, name);
  return {
    ready: ready as Ready,
    ask(message) {
      const answer = nextMessage(child, name);
      child.send(message as object);
      return answer;
    },
    stop: () => child.disconnect(),
  };
}

function nextMessage(child: ChildProcess, name: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`companion ${name} ended with ${code}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message);
    });
  });
}

/** In a companion: sends a message to the scenario. */
export function tellParent(message: unknown): void {
  process.send?.(message);
}

/** In a companion: ends the process when the scenario ends. */
export function endWithParent(): void {
  process.on('disconnect', () => process.exit(0));
}
