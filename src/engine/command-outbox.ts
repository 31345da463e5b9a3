// Numbers all commands and keeps feed commands until the step releases them. Must never give a number twice.
import type { FeedCommand, UnnumberedFeedCommand } from '../domain/venue-command.ts';
import type { State } from '../state/state.ts';

/** Command numbers, and the feed commands of the current step. */
export class CommandOutbox {
  readonly #state: State;
  #commandCount = 0;
  #feedCommands: FeedCommand[] = [];

  constructor(state: State) {
    this.#state = state;
  }

  readonly nextCommandId = (): number => (this.#commandCount += 1);

  readonly addFeedCommand = (command: UnnumberedFeedCommand): void => {
    const { now } = this.#state;
    this.#feedCommands.push({ ...command, lane: 'read', id: this.nextCommandId(), createdAt: now, validUntil: null });
  };

  get feedCommandCount(): number {
    return this.#feedCommands.length;
  }

  takeFeedCommands(): readonly FeedCommand[] {
    const commands = this.#feedCommands;
    this.#feedCommands = [];
    return commands;
  }
}
