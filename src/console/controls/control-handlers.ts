// Handlers of the routes that control a bot. Must never begin an action without a line for the audit file.
import { limitValue } from '../../app/operate/override-order.ts';
import { readFlattenPlan } from '../../app/operate/flatten-order.ts';
import { isUserError } from '../../app/usage-error.ts';
import { findLimit, isTighter } from '../../risk/risk-limits.ts';
import type { FlattenPlan } from '../../runtime/operator/control-messages.ts';
import {
  ACCOUNT_SCOPE,
  type HaltContext,
  type OperatorContext,
  refuseUnknownStrategy,
} from '../../app/operate/operator-context.ts';
import type { Logger } from '../../log.ts';
import type { Action } from '../api/api-schemas.ts';
import * as routes from '../api/control-routes.ts';
import type { ConsoleBot } from '../bots/console-bot.ts';
import type { Caller, CheckedRequest } from '../security/request-checks.ts';
import { RateBound } from '../security/rate-bounds.ts';
import { type ConsoleApp, type ConsoleContext, botNamed, callerOf } from '../server/console-app.ts';
import { ProblemFault } from '../server/problem.ts';
import { ActionStore, requestDigest } from './action-store.ts';
import { AuditFile, type AuditLine } from './audit-file.ts';
import { ControlService, onlyWatched } from './control-service.ts';
import { FlattenPreviews } from './flatten-previews.ts';
import { parseScope } from './scope-text.ts';

export interface ControlHandlersOptions {
  readonly bots: readonly ConsoleBot[];
  readonly log: Logger;
  readonly nowMs: () => number;
}

const ACCEPTED = 'accepted';
/** Length of the override that ends another one, if that one has ended meanwhile. Milliseconds. */
const END_MS = 1000;
/** Reason of a halt until the person gives another. */
const NO_REASON = 'by hand, on the console';
/** Most refused requests in the audit file: per second on average, and in a burst. */
const REFUSED_PER_SECOND = 1;
const REFUSED_AT_ONCE = 50;
const CONTROL_PATH = /^\/api\/v1\/bots\/([^/]+)\/./;

interface Beginning<Operator extends HaltContext> {
  readonly context: ConsoleContext;
  readonly bot: ConsoleBot;
  readonly kind: Action['kind'];
  readonly scope: string;
  readonly reason: string | null;
  readonly body: { readonly actionId: string };
  readonly open: (service: ControlService, actionId: string) => Operator;
  readonly check?: (operator: Operator) => void | Promise<void>;
  /** Saves the halt, where the control halts. Returns the first state and its text. */
  readonly prepare?: (service: ControlService, operator: Operator) => Pick<Action, 'state' | 'text'>;
  readonly run: (service: ControlService, operator: Operator) => Promise<void>;
}

const withConfig = (service: ControlService, actionId: string): OperatorContext => service.openContext(actionId);

/** The handlers of the controls of all bots. */
export class ControlHandlers {
  readonly #options: ControlHandlersOptions;
  readonly #audits: ReadonlyMap<string, AuditFile>;
  readonly #actions: ActionStore;
  readonly #previews: FlattenPreviews;
  readonly #refused = new RateBound(REFUSED_PER_SECOND, REFUSED_AT_ONCE);
  /** By name of the bot. Added at the bot's first control. */
  readonly #services = new Map<string, ControlService>();
  /** The person of each action. Added when it begins; removed when it ends. */
  readonly #persons = new Map<string, ReturnType<typeof callerOf>>();

  constructor(options: ControlHandlersOptions) {
    this.#options = options;
    const { bots, log, nowMs } = options;
    this.#audits = new Map(bots.map((bot) => [bot.name, new AuditFile(bot.dataFolder, log, nowMs)]));
    this.#actions = new ActionStore(nowMs, (action) => this.#onAction(action));
    this.#previews = new FlattenPreviews(nowMs);
    for (const audit of this.#audits.values()) this.#actions.restoreActions(audit.readActions());
  }

  readonly addTo = (app: ConsoleApp): void => {
    this.#addCancels(app);
    this.#addFlatten(app);
    this.#addOverrides(app);
    this.#addActions(app);
  };

  readonly onRefused = ({ method, path, caller }: CheckedRequest, code: string): void => {
    const bot = decodedName(CONTROL_PATH.exec(path)?.[1]);
    const audit = bot === undefined ? undefined : this.#audits.get(bot);
    if (method === 'GET' || method === 'HEAD' || audit === undefined || bot === undefined) return;
    if (this.#refused.useUnit('refused', this.#options.nowMs()) > 0) return;
    audit.appendLine({ result: 'refused', bot, who: personOf(caller), path: path.slice(0, 300), code });
  };

  #serviceOf(bot: ConsoleBot): ControlService {
    const service = this.#services.get(bot.name) ?? new ControlService(bot, this.#actions);
    this.#services.set(bot.name, service);
    return service;
  }

  #onAction(action: Action): void {
    const who = personOf(this.#persons.get(action.actionId) ?? null);
    const { state, bot, text } = action;
    this.#audits.get(bot)?.appendLine({ result: text === ACCEPTED ? 'accepted' : state, bot, who, action });
    if (state === 'confirmed' || state === 'failed') this.#persons.delete(action.actionId);
  }

  /** A repeated request returns its earlier action. */
  async #begin<Operator extends HaltContext>(beginning: Beginning<Operator>): Promise<Action> {
    const { context, bot, kind, scope, reason, body, open, check, prepare, run } = beginning;
    const { actionId } = body;
    const caller = callerOf(context);
    const digest = requestDigest(kind, bot.name, body);
    const repeated = this.#actions.findRepeated(actionId, digest, { kind, bot: bot.name });
    if (repeated !== null) return repeated;
    const service = this.#serviceOf(bot);
    const operator = refusing(() => open(service, actionId));
    await check?.(operator);
    // The same request may have arrived during the check.
    const begun = this.#actions.findRepeated(actionId, digest, { kind, bot: bot.name });
    if (begun !== null) return begun;
    this.#persons.set(actionId, caller);
    const first = prepare?.(service, operator) ?? { state: 'latched', text: ACCEPTED };
    this.#actions.beginAction({ actionId, bot: bot.name, kind, scope, by: caller.name, reason, ...first }, digest);
    void run(service, operator);
    return this.#actionOf(bot.name, actionId);
  }

  #actionOf(bot: string, actionId: string): Action {
    const action = this.#actions.actionOf(bot, actionId);
    if (action === null) throw new ProblemFault('not-found', 'there is no such action of the last 24 hours');
    return action;
  }

  #addCancels(app: ConsoleApp): void {
    const { bots } = this.#options;
    app.openapi(routes.haltRoute, async (context) => {
      const bot = botNamed(bots, context.req.valid('param').bot);
      const body = context.req.valid('json');
      const [scope, who] = [parseScope(body.scope), operatorOf(context)];
      const reason = body.reason ?? standingReason(bot, body.scope) ?? NO_REASON;
      const action = await this.#begin({
        context,
        bot,
        kind: 'halt',
        open: (service, actionId) => service.openHaltContext(actionId),
        scope: body.scope,
        body,
        reason: body.reason ?? null,
        prepare: (service, operator) => refusing(() => latched(service.latchHalt(operator, scope, reason))),
        run: (service, operator) => service.halt(operator, { actionId: body.actionId, scope, reason, who }),
      });
      return context.json(action, 202);
    });
    app.openapi(routes.cancelAllRoute, async (context) => {
      const bot = botNamed(bots, context.req.valid('param').bot);
      const body = context.req.valid('json');
      const [scope, who] = [parseScope(body.scope), operatorOf(context)];
      const action = await this.#begin({
        context,
        bot,
        kind: 'cancel-all',
        open: withConfig,
        scope: body.scope,
        body,
        reason: null,
        check: (operator) => refusing(() => refuseUnknownStrategy(operator, scope)),
        prepare: () => ({ state: 'canceling', text: ACCEPTED }),
        run: (service, operator) =>
          service.cancelAll(operator, { actionId: body.actionId, scope, reason: NO_REASON, who }),
      });
      return context.json(action, 202);
    });
    app.openapi(routes.resumeRoute, async (context) => {
      const bot = botNamed(bots, context.req.valid('param').bot);
      const body = context.req.valid('json');
      const [scope, who, { reason }] = [parseScope(body.scope), operatorOf(context), body];
      requireTyped(body.typed, body.scope);
      const action = await this.#begin({
        context,
        bot,
        kind: 'resume',
        open: withConfig,
        scope: body.scope,
        body,
        reason,
        check: (operator) => refusing(() => refuseUnknownStrategy(operator, scope)),
        run: (service, operator) => service.resume(operator, { actionId: body.actionId, scope, reason, who }),
      });
      return context.json(action, 202);
    });
  }

  #addFlatten(app: ConsoleApp): void {
    const { bots } = this.#options;
    app.openapi(routes.previewRoute, async (context) => {
      const bot = botNamed(bots, context.req.valid('param').bot);
      return context.json(this.#previews.makePreview(bot.name, await planOf(bot)), 200);
    });
    app.openapi(routes.flattenRoute, async (context) => {
      const bot = botNamed(bots, context.req.valid('param').bot);
      const body = context.req.valid('json');
      const { actionId, reason } = body;
      requireTyped(body.typed, bot.name);
      const who = operatorOf(context);
      const action = await this.#begin({
        context,
        bot,
        kind: 'flatten',
        open: withConfig,
        scope: 'account',
        reason,
        body,
        check: async () => this.#previews.usePreview(bot.name, body.previewId, await planOf(bot)),
        prepare: (service, operator) => latched(service.latchHalt(operator, ACCOUNT_SCOPE, reason)),
        run: (service, operator) => service.flatten(operator, { actionId, scope: ACCOUNT_SCOPE, reason, who }),
      });
      return context.json(action, 202);
    });
  }

  #addOverrides(app: ConsoleApp): void {
    const { bots } = this.#options;
    app.openapi(routes.overrideRoute, async (context) => {
      const bot = botNamed(bots, context.req.valid('param').bot);
      const body = context.req.valid('json');
      const { limit, value, forMs, strategy, reason, typed = '' } = body;
      const who = operatorOf(context);
      const action = await this.#begin({
        context,
        bot,
        kind: 'override',
        open: withConfig,
        scope: strategy === undefined ? 'account' : `strategy ${strategy}`,
        reason,
        body,
        check: (operator) => checkOverride(operator, { limit, value, strategy, typed }),
        run: (service, operator) =>
          service.override(operator, body.actionId, { limit, value, strategy, forMs, reason, who }),
      });
      return context.json(action, 202);
    });
    app.openapi(routes.endOverrideRoute, async (context) => {
      const { bot: name, id } = context.req.valid('param');
      const bot = botNamed(bots, name);
      const body = context.req.valid('json');
      const [strategy, limit] = overrideNames(id);
      const value = configuredLimit(bot, limit, strategy);
      const { actionId, reason } = body;
      const who = operatorOf(context);
      const named = { ...body, id };
      const action = await this.#begin({
        context,
        bot,
        kind: 'override',
        open: withConfig,
        scope: strategy === undefined ? 'account' : `strategy ${strategy}`,
        reason,
        body: named,
        // The config's own value ends the override.
        run: (service, operator) =>
          service.override(operator, actionId, { limit, value, strategy, forMs: END_MS, reason, who }),
      });
      return context.json(action, 202);
    });
  }

  #addActions(app: ConsoleApp): void {
    const { bots } = this.#options;
    app.openapi(routes.actionsRoute, (context) => {
      const bot = botNamed(bots, context.req.valid('param').bot);
      return context.json({ actions: [...this.#actions.actionsOf(bot.name)] }, 200);
    });
    app.openapi(routes.actionRoute, (context) => {
      const { bot, id } = context.req.valid('param');
      return context.json(this.#actionOf(botNamed(bots, bot).name, id), 200);
    });
    app.openapi(routes.actionReasonRoute, async (context) => {
      const { bot: name, id } = context.req.valid('param');
      const bot = botNamed(bots, name);
      const { reason } = context.req.valid('json');
      const action = this.#actionOf(bot.name, id);
      if (action.kind !== 'halt') throw new ProblemFault('conflict', 'only a halt gets its reason afterwards');
      const service = this.#serviceOf(bot);
      const caller = callerOf(context);
      this.#persons.set(id, caller);
      this.#actions.changeAction(id, { reason });
      await service.addReason({ scope: parseScope(action.scope), reason, who: operatorOf(context) });
      return context.json(this.#actionOf(bot.name, id), 200);
    });
  }
}

/** @throws {ProblemFault} when the typed text is not the expected text. */
function requireTyped(typed: string, expected: string): void {
  if (typed !== expected) throw new ProblemFault('not-typed', `expected ${JSON.stringify(expected)} as confirmation`);
}

function refusing<Result>(act: () => Result): Result {
  try {
    return act();
  } catch (fault) {
    throw isUserError(fault) ? new ProblemFault('invalid', fault.message) : fault;
  }
}

const latched = (fault: string | null): Pick<Action, 'state' | 'text'> =>
  fault === null
    ? { state: 'latched', text: 'the halt is saved: no new order leaves' }
    : { state: 'canceling', text: fault };

function operatorOf(context: ConsoleContext): string {
  const { name, role } = callerOf(context);
  return `${name}, ${role} on the console`;
}

/** Returns the name in a path; `undefined` where it is none. A refused path may hold anything. */
function decodedName(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** The person without the key of the login. */
function personOf(caller: Caller | null): AuditLine['who'] {
  return caller === null ? null : { name: caller.name, role: caller.role, address: caller.address };
}

/** Splits the id of an override: `limit` or `strategy:limit`. */
function overrideNames(id: string): readonly [strategy: string | undefined, limit: string] {
  const end = id.lastIndexOf(':');
  return end < 0 ? [undefined, id] : [id.slice(0, end), id.slice(end + 1)];
}

/** Returns the config's value of a limit. @throws {ProblemFault} when there is no such value. */
function configuredLimit({ config }: ConsoleBot, limit: string, strategy: string | undefined): number {
  const info = findLimit(limit);
  const own = config?.content.strategies.find(({ name }) => name === strategy);
  if (info === undefined || (strategy !== undefined && config !== null && own === undefined))
    throw new ProblemFault('not-found', 'there is no such limit or strategy');
  const value = own?.limits?.[info.name] ?? config?.content.limits?.[info.name] ?? null;
  if (value === null)
    throw new ProblemFault('conflict', 'the config has no value of this limit: its override ends by itself');
  return value;
}

/** The operator's reason of a halt in force. Another halt without a reason keeps it. */
const standingReason = (bot: ConsoleBot, scope: string): string | undefined =>
  bot.folderFacts().halts.find((halt) => halt.scope === scope && halt.by === 'operator')?.reason;

/** @throws {ProblemFault} when the bot does not answer with a plan. */
async function planOf(bot: ConsoleBot): Promise<FlattenPlan> {
  if (bot.config === null) throw onlyWatched(bot);
  const plan = await readFlattenPlan(bot);
  if (typeof plan === 'string') throw new ProblemFault('bot-silent', plan);
  return plan;
}

interface OverrideCheck {
  readonly limit: string;
  readonly value: string;
  readonly strategy: string | undefined;
  readonly typed: string;
}

/** @throws {ProblemFault} when the limit or the value does not fit, or a looser value is not confirmed. */
function checkOverride({ config }: OperatorContext, { limit, value, strategy, typed }: OverrideCheck): void {
  const { info, value: number } = refusing(() => limitValue(limit, value));
  const own = config.strategies.find(({ name }) => name === strategy);
  if (strategy !== undefined && own === undefined)
    throw new ProblemFault('invalid', 'expected a strategy of the config');
  const configured = own?.limits?.[info.name] ?? config.limits?.[info.name] ?? null;
  if (!isTighter(info, number, configured)) requireTyped(typed, info.configName);
}
