// Changes one limit for a while, through the running bot. Must never change a limit without an end.
import { PRICES_IN_ORDER, isContradictory } from '../../config/bot-config.ts';
import { parseLimit } from '../../config/limit-fields.ts';
import { strategyName } from '../../domain/ids.ts';
import type { LimitOverride } from '../../domain/operator-order.ts';
import { micros } from '../../domain/units.ts';
import { type LimitInfo, RISK_LIMITS, type StrategyLimits, findLimit, tightened } from '../../risk/risk-limits.ts';
import { UsageError } from '../usage-error.ts';
import { limitText } from '../../risk/limit-text.ts';
import { type OperatorContext, lateOrderTroubleText, sendOrderToBot } from './operator-context.ts';

const WITHIN_MS = 5000;

export interface OverrideRequest {
  /** The limit's name, as in the config. */
  readonly limit: string;
  /** Text as in a config, or a number in the limit's own unit. */
  readonly value: string | number;
  readonly strategy?: string | undefined;
  readonly forMs: number;
  readonly reason: string;
  readonly who?: string;
}

/** The result of an override. */
export interface OverrideOutcome {
  readonly info: LimitInfo;
  readonly override: LimitOverride;
  /** The value is the config's own, and ends an earlier override of the limit. */
  readonly isEnd: boolean;
  readonly isDone: boolean;
  /** Why the limit is not set. */
  readonly refusal: string | null;
}

/** A limit and a value for it. */
export interface ParsedLimit {
  readonly info: LimitInfo;
  readonly value: number;
}

/**
 * Parses a limit's name and value.
 * @throws {UsageError} when there is no such limit, or the value does not fit.
 */
export function limitValue(name: string, text: string | number): ParsedLimit {
  const info = findLimit(name);
  if (info === undefined) {
    const names = RISK_LIMITS.map(({ configName }) => configName).join(', ');
    throw new UsageError(`--limit: expected one of ${names}, found ${JSON.stringify(name)}`);
  }
  if (typeof text === 'number') return { info, value: text };
  const parsed = parseLimit(info, text);
  if ('expected' in parsed) throw new UsageError(`--value: expected ${parsed.expected}, found ${JSON.stringify(text)}`);
  return { info, value: parsed.value };
}

/**
 * Sets the limit.
 * @throws {UsageError} when there is no such limit, the value does not fit, or no price satisfies the limits with it.
 */
export async function overrideLimit(context: OperatorContext, request: OverrideRequest): Promise<OverrideOutcome> {
  const { limit, value, strategy, forMs, reason, who } = request;
  const { info, value: number } = limitValue(limit, value);
  const override: LimitOverride = {
    limit: info.name,
    value: number,
    strategy: strategy === undefined ? null : strategyName(strategy),
    until: micros(context.clock.now() + forMs * 1000),
    reason,
  };
  refuseContradiction(context, override);
  const isEnd = endsEarlier(context, override);
  context.log.warn({ override, who: who ?? context.who }, 'override ordered');
  context.log.flush();
  const order = { type: 'override', override, ...(who !== undefined && { who }) } as const;
  const answer = await sendOrderToBot(context, order, WITHIN_MS);
  const report = answer.type === 'answered' && answer.reply.type === 'done' ? answer.reply.report : null;
  const isDone = report?.isDone ?? false;
  return {
    info,
    override,
    isEnd,
    isDone,
    refusal: isDone ? null : report?.remarks.join('; ') || lateOrderTroubleText(answer),
  };
}

/** True when an override in force ends, because this one has the config's own value. */
function endsEarlier({ config, latch, clock }: OperatorContext, { limit, strategy, value }: LimitOverride): boolean {
  const info = findLimit(limit);
  const own = config.strategies.find(({ name }) => name === strategy)?.limits;
  const limits = strategy === null ? config.limits : own;
  const isEarlier = (each: LimitOverride): boolean =>
    findLimit(each.limit) === info && each.strategy === strategy && each.until > clock.now();
  return info !== undefined && limits?.[info.name] === value && latch.readOverrides().some(isEarlier);
}

/** Refuses what a config refuses, too: limits that no price can satisfy. */
function refuseContradiction({ config, latch, clock }: OperatorContext, override: LimitOverride): void {
  if (config.limits === undefined) return;
  const now = clock.now();
  const inForce = [...latch.readOverrides().filter(({ until }) => until > now), override];
  const account = { ...config.limits, ...overriddenLimits(inForce, null) };
  const own = config.strategies.find(({ name }) => name === override.strategy)?.limits;
  const limits =
    override.strategy === null
      ? account
      : tightened(account, { ...own, ...overriddenLimits(inForce, override.strategy) });
  if (!isContradictory(limits)) return;
  const [low, high] = [limits.priceMin, limits.priceMax].map((value) => limitText({ unit: 'price' }, value));
  const found = `${override.limit} ${limitText({ unit: 'price' }, override.value)}`;
  throw new UsageError(
    `--value: limits.priceMax: expected ${PRICES_IN_ORDER}, found ${found}, with which priceMin is ${low} and priceMax ${high}`,
  );
}

const overriddenLimits = (overrides: readonly LimitOverride[], strategy: LimitOverride['strategy']): StrategyLimits =>
  Object.fromEntries(overrides.filter((each) => each.strategy === strategy).map(({ limit, value }) => [limit, value]));
