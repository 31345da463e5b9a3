// The trading engine: applies one event to state, strategies, risk and planner, and returns the commands to send now.
// The same events give the same commands live, on paper and in a backtest. Must never await or read a clock.
import type { Command } from './domain/venue-command.ts';
import type { BookDelta, EngineEvent } from './domain/event.ts';
import type { Micros } from './domain/units.ts';
import type { ChangeQueue } from './engine/change-queue.ts';
import { CommandRelease, NO_COMMANDS } from './engine/command-release.ts';
import type { EngineOptions } from './engine/engine-options.ts';
import { EngineParts } from './engine/engine-parts.ts';
import { EventHandlers } from './engine/event-handlers.ts';
import { isFailureToExplain } from './engine/open-answer.ts';
import { Quiescence } from './engine/quiescence.ts';
import { Reactions } from './engine/reactions.ts';
import type { FeedWatch } from './execution/feed/feed-watch.ts';
import type { Halts } from './execution/operator/halts.ts';
import type { OperatorCommands } from './execution/operator/operator-commands.ts';
import type { Planner } from './execution/orders/planner.ts';
import type { TradingSession } from './execution/session/trading-session.ts';
import type { RiskGuard } from './risk/risk-guard.ts';
import { BookChange } from './state/books/order-books.ts';
import type { State } from './state/state.ts';
import type { StrategyRunner } from './strategy/strategy-runner.ts';

export type { EngineOptions } from './engine/engine-options.ts';

/** Local copies, because an imported binding is looked up at every use. This shows on the hot path. */
const { ignored: IGNORED, depth: DEPTH, touch: TOUCH } = BookChange;
/** The same array as `IDLE_STEP`, under a local name: an exported binding is looked up at every use, too. */
const IDLE: readonly Command[] = [];
/** The result of a step that sends nothing and leaves `wakeAt` unchanged. Compared by identity. */
export const IDLE_STEP = IDLE;

/** Applies events one at a time. Each step returns commands. */
export class Engine {
  readonly state: State;
  readonly risk: RiskGuard;
  readonly #parts: EngineParts;
  readonly #changes: ChangeQueue;
  readonly #reactions: Reactions;
  readonly #handlers: EventHandlers;
  readonly #release: CommandRelease;
  readonly #quiescence: Quiescence;

  constructor(options: EngineOptions) {
    const parts = new EngineParts(options);
    this.#parts = parts;
    this.state = parts.state;
    this.risk = parts.risk;
    this.#changes = parts.changes;
    const { orderEntry, operator } = parts;
    const reactions = new Reactions(options, parts);
    parts.actions.connect({ orderEntry, operator, reactions });
    this.#reactions = reactions;
    this.#handlers = new EventHandlers(options, parts, reactions);
    this.#release = new CommandRelease(parts);
    this.#quiescence = new Quiescence(parts);
    this.stepDelta = this.#makeStepDelta();
  }

  /**
   * Applies one event and returns the commands to send now, the first to send first. The array is valid until the next
   * step.
   * @throws {AssertionFault} when an invariant is broken. The session must then end.
   */
  step(event: EngineEvent): readonly Command[] {
    if (event.kind === 'book-delta') return this.stepDelta(event);
    const bookChange = this.state.applyEvent(event, this.#changes);
    return this.#process(event, bookChange);
  }

  /** Completes a step after the state has applied the event. */
  #process(event: EngineEvent, bookChange: BookChange): readonly Command[] {
    this.#quiescence.endIdleness();
    if (this.#isRepetition(event)) return NO_COMMANDS;
    this.#quiescence.discardAll();
    this.#handlers.handleEvent(event, bookChange);
    this.#reactions.reactToChanges();
    if (bookChange === IGNORED) this.#handlers.showBooksWhenReady();
    this.risk.endStep();
    this.#parts.upkeep.noteStrategyWork(this.state.now);
    if (!isFailureToExplain(event)) return this.#releaseCommands();
    this.#parts.upkeep.noteWork(this.state.now);
    return NO_COMMANDS;
  }

  /** A market record changes nothing, and nothing is due. Lists repeat most markets unchanged. */
  #isRepetition(event: EngineEvent): boolean {
    if (event.kind !== 'market' || !this.#changes.isEmpty) return false;
    return this.#quiescence.hasNothingToSend(this.state.now) && !this.risk.endStep();
  }

  /**
   * Does the work of `step` for a book delta, the most frequent event. Returns early, without allocation, when no
   * strategy answers and nothing is due. A closure over its parts, because compiled code relies on captured constants.
   */
  readonly stepDelta: (delta: BookDelta) => readonly Command[];

  #makeStepDelta(): Engine['stepDelta'] {
    const { state } = this;
    const { applyDelta } = state;
    const { onTouchChange: checkTouch } = this.risk;
    const { emitBookChange } = this.#parts.strategyRunner;
    const changes = this.#changes;
    const quiescence = this.#quiescence;
    return (delta) => {
      const bookChange = applyDelta(delta, changes);
      const isTouch = bookChange === TOUCH;
      if (!isTouch && bookChange !== DEPTH) return this.#process(delta, bookChange);
      if (isTouch && checkTouch(delta.market)) quiescence.endIdleness();
      if (emitBookChange(delta, isTouch)) return this.#processAnswered();
      return quiescence.isIdleAt(state.now) && changes.isEmpty ? IDLE : this.#processDelta();
    };
  }

  /** Completes a step for a book delta that a strategy has answered. The answer may have set a timer. */
  #processAnswered(): readonly Command[] {
    if (this.#parts.strategyRunner.takeNewTimer()) this.#quiescence.onWakeChange();
    return this.#processDelta();
  }

  /** Completes a step for a book delta that strategies have seen. */
  #processDelta(): readonly Command[] {
    const quiescence = this.#quiescence;
    quiescence.endIdleness();
    const hasChanges = !this.#changes.isEmpty;
    // Most deltas change nothing else: the check here saves a call for each of them.
    if (hasChanges) this.#reactions.reactToChanges();
    const isActing = this.risk.endStep();
    if (isActing || hasChanges || !quiescence.hasNothingToSend(this.state.now)) return this.#releaseCommands();
    quiescence.onIdleStep();
    return quiescence.isIdleAt(this.state.now) ? IDLE : NO_COMMANDS;
  }

  #releaseCommands(): readonly Command[] {
    this.#quiescence.onRelease();
    const commands = this.#release.releaseCommands();
    this.#parts.upkeep.noteWork(this.state.now);
    return commands;
  }

  /** The time at which the engine next needs a timer event. `null`: none is needed. Cheap enough for every step. */
  wakeAt(): Micros | null {
    return this.#quiescence.wakeAt(this.state.now);
  }

  /** Learns that the venue's lists have changed: they are read soon. Moves `wakeAt`. */
  onListChanged(at: Micros): void {
    this.#quiescence.discardAll();
    this.#parts.upkeep.onListChanged(at);
  }

  /** Computes the result of `wakeAt` from scratch. The remembered value must always equal it. */
  computeWakeAt(): Micros | null {
    return this.#parts.computeWakeAt();
  }

  get session(): TradingSession {
    return this.#parts.session;
  }

  get planner(): Planner {
    return this.#parts.planner;
  }

  get halts(): Halts {
    return this.#parts.halts;
  }

  get operator(): OperatorCommands {
    return this.#parts.operator;
  }

  get strategyRunner(): StrategyRunner {
    return this.#parts.strategyRunner;
  }

  /** Supervises the connection, the books, the private channels and the clocks. */
  get feedWatch(): FeedWatch {
    return this.#parts.feedWatch;
  }
}
