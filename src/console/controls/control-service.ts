// Carries out the controls of one bot, as the command line does. Must never say `confirmed` without proof of the
// effect.
import {
  type HaltContext,
  type OperatorContext,
  haltContextIn,
  openOperatorContext,
  refuseUnknownStrategy,
  sendOrderToBot,
} from '../../app/operate/operator-context.ts';
import { type CancelReport, cancelAndProve } from '../../app/operate/cancel-escalation.ts';
import { DirectCancel } from '../../app/operate/direct-cancel.ts';
import { type FlattenOutcome, flattenBot } from '../../app/operate/flatten-order.ts';
import { type HaltOutcome, haltBot, saveHalt } from '../../app/operate/halt-order.ts';
import { type OverrideOutcome, type OverrideRequest, overrideLimit } from '../../app/operate/override-order.ts';
import { resumeBot } from '../../app/operate/resume-order.ts';
import { UsageError, isUserError } from '../../app/usage-error.ts';
import { ConfigError } from '../../base/config-error.ts';
import type { HaltScope } from '../../domain/operator-order.ts';
import { scopeKey } from '../../execution/operator/halts.ts';
import type { Action } from '../api/api-schemas.ts';
import type { ConsoleBot } from '../bots/console-bot.ts';
import { ProblemFault } from '../server/problem.ts';
import type { ActionStore } from './action-store.ts';

/** Time allowed for a halt or a cancel, and for a flatten. Milliseconds. */
const CANCEL_MS = 10_000;
const FLATTEN_MS = 30_000;
const LIST_MS = 3000;

/** A request for a control, after its checks. */
export interface ControlRequest {
  readonly actionId: string;
  readonly scope: HaltScope;
  readonly reason: string;
  readonly who: string;
}

/** The text never names a path of this machine. */
const unusableText = (fault: Error): string =>
  fault instanceof ConfigError
    ? `the bot’s config cannot be used: ${fault.faultsText}`
    : 'the bot’s config no longer names the data folder of this bot: start the console again';

/** The controls of one bot. */
export class ControlService {
  readonly #bot: ConsoleBot;
  readonly #actions: ActionStore;
  /** Opened at the first control, because it keeps the operator's log open. */
  #context: OperatorContext | null = null;
  /** Opened at the first halt by a config that cannot be used. */
  #haltContext: HaltContext | null = null;

  constructor(bot: ConsoleBot, actions: ActionStore) {
    this.#bot = bot;
    this.#actions = actions;
  }

  /**
   * Opens the context of the bot's config.
   * @throws {ProblemFault} when the console has no config of this bot, or it cannot be used.
   */
  openContext(actionId: string): OperatorContext {
    try {
      return { ...this.#ownContext(), onReceived: () => this.#onReceived(actionId) };
    } catch (fault) {
      throw isUserError(fault) ? new ProblemFault('invalid', unusableText(fault)) : fault;
    }
  }

  /** @throws {UsageError} when the config now names another data folder: the page shows the bot of this one. */
  #ownContext(): OperatorContext {
    const { config, dataFolder } = this.#bot;
    if (config === null) throw onlyWatched(this.#bot);
    if (this.#context !== null) return this.#context;
    const opened = openOperatorContext(config.file, config.isPaper);
    if (opened.dataFolder !== dataFolder)
      throw new UsageError('its config: expected the data folder of this bot, found another one');
    return (this.#context = opened);
  }

  /**
   * Opens the context of a halt. A halt needs no config that can be read: the console knows the data folder.
   * @throws {ProblemFault} when the console has no config of this bot.
   */
  openHaltContext(actionId: string): HaltContext {
    return { ...this.#ownHaltContext(), onReceived: () => this.#onReceived(actionId) };
  }

  #ownHaltContext(): HaltContext {
    try {
      return this.#ownContext();
    } catch (fault) {
      const { config, dataFolder } = this.#bot;
      if (config === null || !isUserError(fault)) throw fault;
      this.#haltContext ??= haltContextIn(dataFolder, config);
      return { ...this.#haltContext, configFault: unusableText(fault) };
    }
  }

  #onReceived(actionId: string): void {
    this.#actions.changeAction(actionId, { state: 'heard', text: 'the bot or its watchdog answered' });
    const kind = this.#actions.actionOf(this.#bot.name, actionId)?.kind;
    if (kind !== 'resume' && kind !== 'override')
      this.#actions.changeAction(actionId, { state: 'canceling', text: 'orders are being canceled' });
  }

  /**
   * Saves the halt of a scope. Returns the problem when the halt cannot be saved.
   * @throws {UsageError} when the scope names an unknown strategy.
   */
  latchHalt(context: HaltContext, scope: HaltScope, reason: string): string | null {
    refuseUnknownStrategy(context, scope);
    const fault = saveHalt(context, { scope, by: 'operator', reason, since: context.clock.now() });
    return fault === null ? null : this.#withoutPath(fault);
  }

  /** A person on the page needs no path of this machine. */
  #withoutPath(text: string): string {
    return text.replaceAll(this.#bot.dataFolder, 'the data folder');
  }

  /** Halts a scope. The promise ends with the proof. */
  halt(context: HaltContext, { actionId, scope, reason, who }: ControlRequest): Promise<void> {
    const proof = haltBot(context, { scope, reason, who, withinMs: CANCEL_MS });
    return this.#follow(actionId, proof, (outcome) => this.#haltResult(outcome));
  }

  #haltResult({ latchFault, report }: HaltOutcome): Partial<Action> {
    const result = this.#cancelResult(report);
    if (latchFault === null) return result;
    return { ...result, state: 'failed', text: `${this.#withoutPath(latchFault)}. ${result.text ?? ''}` };
  }

  cancelAll(context: OperatorContext, { actionId, scope, reason, who }: ControlRequest): Promise<void> {
    context.log.warn({ scope, reason, who }, 'cancel-all ordered');
    const proof = cancelAndProve(context, { type: 'cancel-all', scope, reason, who }, CANCEL_MS);
    return this.#follow(actionId, proof, (report) => this.#cancelResult(report));
  }

  #cancelResult(report: CancelReport): Partial<Action> {
    const { isDone, isSeenAtVenue, left, remarks, elapsedMs } = report;
    const isProved = isSeenAtVenue || this.#bot.isPaper;
    const seconds = (elapsedMs / 1000).toFixed(1);
    const seen = isSeenAtVenue ? 'the exchange’s own list shows nothing left' : 'the simulated venue has nothing left';
    const text = isProved
      ? `${isDone ? seen : `not done: ${left?.length ?? 'unknown'} orders may still rest`} (${seconds} s)`
      : `the exchange’s own list could not be read (${seconds} s)`;
    return {
      state: isDone && isProved ? 'confirmed' : 'failed',
      text: [text, ...remarks].join('; '),
      canceled: report.canceledCount,
      left: (isDone ? [] : (left ?? [])).map(({ clientOrderId, venueOrderId, ticker }) => {
        return { clientOrderId, venueOrderId, ticker };
      }),
    };
  }

  resume(context: OperatorContext, { actionId, scope, reason, who }: ControlRequest): Promise<void> {
    return this.#follow(actionId, resumeBot(context, { scope, reason, who }), ({ isLifted, trouble, lifted }) => {
      const lone = lifted === null ? 'the halt is lifted' : 'the halt is lifted; no bot runs now';
      return { state: isLifted ? 'confirmed' : 'failed', text: isLifted ? lone : `still halted: ${trouble ?? ''}` };
    });
  }

  /** Flattens the account. The caller must have saved the halt. */
  flatten(context: OperatorContext, { actionId, reason, who }: ControlRequest): Promise<void> {
    const proof = flattenBot(context, { reason, who, withinMs: FLATTEN_MS });
    return this.#follow(actionId, proof, (outcome) => this.#flattenResult(context, outcome));
  }

  async #flattenResult(
    context: OperatorContext,
    { isFlat, report, trouble }: FlattenOutcome,
  ): Promise<Partial<Action>> {
    const left = isFlat ? ((await this.#listLeft(context)) ?? report?.seenAtVenue ?? null) : (report?.left ?? null);
    const isConfirmed = isFlat && (this.#bot.isPaper || left?.length === 0);
    const unproved =
      left === null ? 'the exchange’s own list could not be read' : `${left.length} orders may still rest`;
    const problem = isFlat ? unproved : (trouble ?? 'not flat in time');
    return {
      state: isConfirmed ? 'confirmed' : 'failed',
      text: isConfirmed ? 'flat: nothing is held and nothing rests' : [problem, ...(report?.remarks ?? [])].join('; '),
      canceled: report?.withdrawn ?? 0,
      left: (left ?? []).map(({ clientOrderId, venueOrderId, ticker }) => ({ clientOrderId, venueOrderId, ticker })),
    };
  }

  /** Lists the account's orders at the venue; `null` when the list cannot be read. */
  async #listLeft(context: OperatorContext): Promise<Action['left'] | null> {
    const direct = await DirectCancel.connect(context);
    try {
      const listed = await direct?.listOrders({ isOurs: () => true, withinMs: LIST_MS });
      return (
        listed?.left?.map(({ clientOrderId, venueOrderId, ticker }) => ({ clientOrderId, venueOrderId, ticker })) ??
        null
      );
    } finally {
      await direct?.close();
    }
  }

  override(context: OperatorContext, actionId: string, request: OverrideRequest): Promise<void> {
    return this.#follow(actionId, overrideLimit(context, request), (outcome) => ({
      state: outcome.isDone ? 'confirmed' : 'failed',
      text: outcome.isDone ? overriddenText(outcome, request.value) : `not set: ${outcome.refusal ?? ''}`,
    }));
  }

  /** Adds the reason of a person's halt, in the saved halt and in the journal. Does nothing when the halt is lifted. */
  async addReason({ scope, reason, who }: Omit<ControlRequest, 'actionId'>): Promise<void> {
    const context = this.#ownHaltContext();
    const isHalted = context.latch
      .readHalts()
      .some((halt) => halt.by === 'operator' && scopeKey(halt.scope) === scopeKey(scope));
    if (!isHalted) return;
    saveHalt(context, { scope, by: 'operator', reason, since: context.clock.now() });
    await sendOrderToBot(context, { type: 'halt', scope, by: 'operator', reason, who }, 0);
  }

  /** A fault makes the action fail. */
  async #follow<Result>(
    actionId: string,
    proof: Promise<Result>,
    resultOf: (result: Result) => Partial<Action> | Promise<Partial<Action>>,
  ): Promise<void> {
    try {
      this.#actions.changeAction(actionId, await resultOf(await proof));
    } catch (fault) {
      const text = `it failed: ${fault instanceof Error ? this.#withoutPath(fault.message) : 'an error'}`;
      this.#actions.changeAction(actionId, { state: 'failed', text });
    }
  }
}

function overriddenText({ info, override: { until }, isEnd }: OverrideOutcome, value: string | number): string {
  if (isEnd || typeof value === 'number') return `${info.configName} is as in the config again`;
  return `${info.configName} is ${value} until ${new Date(until / 1000).toISOString()}`;
}

/** The refusal of a control of a bot without a config. The page names the command of a terminal beside it. */
export function onlyWatched({ isPaper }: Pick<ConsoleBot, 'isPaper'>): ProblemFault {
  const options = isPaper ? '--config and --paper' : '--config';
  return new ProblemFault('conflict', `this bot is only watched: start the console with its ${options} to control it`);
}
