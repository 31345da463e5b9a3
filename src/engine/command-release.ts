// Releases the commands that may leave at the end of a step. Must never release a command past its deadline.
import type { Command, RequestCommand } from '../domain/venue-command.ts';
import type { EngineParts } from './engine-parts.ts';

/** The result of a release that sends nothing. */
export const NO_COMMANDS: readonly Command[] = [];

/** Collects the commands that the planner and the outbox release. */
export class CommandRelease {
  readonly #parts: EngineParts;
  /** Requests of the current release. The array is reused, because most releases send none. */
  readonly #ready: RequestCommand[] = [];

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  /** Returns the commands to send now, feed commands first. */
  releaseCommands(): readonly Command[] {
    const { orderEntry, budgetNotifier, feedWatch, outbox, state } = this.#parts;
    const ready = this.#ready;
    if (ready.length > 0) ready.length = 0;
    for (let late = this.#releaseDue(); late.length > 0; late = this.#releaseDue())
      for (const command of late) orderEntry.onTooLate(command);
    budgetNotifier.checkShortages(state.now);
    feedWatch.flushResyncs();
    if (ready.length + outbox.feedCommandCount === 0) return NO_COMMANDS;
    for (const command of ready) orderEntry.onSent(command);
    return [...outbox.takeFeedCommands(), ...ready];
  }

  /** Adds the requests that may leave to `#ready`. Returns the requests past their deadline. */
  #releaseDue(): readonly RequestCommand[] {
    return this.#parts.planner.releaseDue(this.#parts.state.now, this.#ready);
  }
}
