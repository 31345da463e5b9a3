// Injects the faults of a plan. Every rule has its own trigger and random numbers, which the seed determines. Must
// never begin a fault at a request or a message that fits no rule.
import type { ClockRule, FaultKind, FaultPlan, FeedRule, RequestRule } from '../../config/fault-config.ts';
import { type Micros, micros } from '../../domain/units.ts';
import { type WireProfile, endpointOf } from '../../venues/trade-api/profiles/wire-profile.ts';
import type { SetTimer } from '../session/exchange-driver.ts';
import { RandomStream } from '../flow/random-stream.ts';
import type { AccountName } from '../machine/exchange-input.ts';
import type { PendingFrame, FaultInjector, PendingPing, PendingRequest } from './fault-injector.ts';
import { FaultyConnection } from './feed-fault-injection.ts';
import { type NextRequest, injectRequestFault } from './request-faults.ts';
import { FaultTrigger } from './fault-trigger.ts';

/** Options of planned faults. */
export interface PlannedFaultsOptions {
  readonly plan: FaultPlan;
  readonly seed: number;
  readonly profile: WireProfile;
  /** The exchange's clock. The plan starts when this object is constructed. */
  readonly now: () => Micros;
  readonly later: SetTimer;
  /** Called for every rule that applies to a request or a message. */
  readonly onFault?: (kind: FaultKind) => void;
}

interface ArmedRule<Rule> {
  readonly rule: Rule;
  readonly trigger: FaultTrigger;
}

/** Longest lag of a plan's stale reads. */
export const lagMaxOf = ({ requests }: FaultPlan): Micros =>
  micros(Math.max(0, ...requests.map((rule) => (rule.fault === 'stale' ? rule.by : 0))));

/** Injects the faults of one plan into requests, messages and clock. */
export class PlannedFaults implements FaultInjector {
  readonly #options: PlannedFaultsOptions;
  readonly #startAt: Micros;
  readonly #requests: readonly ArmedRule<RequestRule>[];
  readonly #feed: readonly ArmedRule<FeedRule>[];
  readonly #clock: readonly ClockRule[];
  readonly #connections = new Map<number, FaultyConnection>();

  constructor(options: PlannedFaultsOptions) {
    const { plan, seed, now } = options;
    this.#options = options;
    this.#startAt = now();
    const arm = <Rule extends RequestRule | FeedRule>(rules: readonly Rule[], name: string): ArmedRule<Rule>[] =>
      rules.map((rule, index) => ({
        rule,
        trigger: new FaultTrigger(rule, new RandomStream(seed, `${name}/${index}`)),
      }));
    this.#requests = arm(plan.requests, 'requests');
    this.#feed = arm(plan.feed, 'feed');
    this.#clock = plan.clock;
  }

  onRequest(passage: PendingRequest): void {
    const { profile } = this.#options;
    const { endpoint } = passage.request;
    const group = endpointOf(profile, endpoint).budget === 'read' ? 'reads' : 'trades';
    const matching = this.#matchingRules(
      this.#requests,
      ({ on, accounts }) =>
        (on === undefined || on.includes(endpoint) || on.includes(group)) && isFor(accounts, passage.account),
    );
    this.#applyRules(passage, matching);
  }

  onFrame(passage: PendingFrame): void {
    const { channel, account } = passage;
    const faulty = this.#connectionOf(passage.connection);
    // A message lost in a silence triggers no other rule.
    if (faulty.isSilent) return;
    const matching = this.#matchingRules(
      this.#feed,
      ({ on, accounts }) =>
        (on === undefined || (channel !== null && on.includes(channel))) && isFor(accounts, account),
    );
    faulty.sendWithFaults(passage, matching);
  }

  onPing({ connection, send }: PendingPing): void {
    if (this.#connections.get(connection)?.isSilent !== true) send();
  }

  onClosed(connection: number): void {
    this.#connections.get(connection)?.discardWaiting();
    this.#connections.delete(connection);
  }

  clock(now: Micros): Micros {
    const at = now - this.#startAt;
    let shifted: number = now;
    for (const { from, until = Infinity, ahead = 0, behind = 0 } of this.#clock)
      if (at >= from && at < until) shifted += ahead - behind;
    return micros(shifted);
  }

  /** Returns the rules that apply, and reports their faults. A rule that does not fit draws nothing. */
  #matchingRules<Rule extends RequestRule | FeedRule>(
    armed: readonly ArmedRule<Rule>[],
    fits: (rule: Rule) => boolean,
  ): Rule[] {
    if (armed.length === 0) return [];
    const at = this.#options.now() - this.#startAt;
    const matching = armed.filter(({ rule, trigger }) => fits(rule) && trigger.appliesAt(at)).map(({ rule }) => rule);
    for (const { fault } of matching) this.#options.onFault?.(fault);
    return matching;
  }

  /** Applies rules one inside the other, the first outermost. */
  #applyRules(passage: PendingRequest, rules: readonly RequestRule[]): void {
    const [rule, ...rest] = rules;
    if (rule === undefined) return passage.send(passage.execute());
    const next: NextRequest = (changed) => this.#applyRules(changed, rest);
    injectRequestFault(rule, { passage, next }, this.#options);
  }

  #connectionOf(connection: number): FaultyConnection {
    let faulty = this.#connections.get(connection);
    if (faulty === undefined) this.#connections.set(connection, (faulty = new FaultyConnection(this.#options)));
    return faulty;
  }
}

const isFor = (accounts: readonly string[] | undefined, account: AccountName | null): boolean =>
  accounts === undefined || (account !== null && accounts.includes(account));
