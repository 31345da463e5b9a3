// A plan's faults at the seam: every rule with its own trigger and its own stream of chance, so that a seed decides all.
// Must never do anything to what no rule fits.
import type { ClockRule, FaultKind, FaultPlan, FeedRule, RequestRule } from '../../../config/fault-config.ts';
import { type Micros, micros } from '../../../domain/units.ts';
import { type WireProfile, endpointOf } from '../../../venues/trade-api/profile.ts';
import type { SetTimer } from '../../driver.ts';
import { Chance } from '../../flow/chance.ts';
import type { AccountName } from '../../input.ts';
import type { FramePassage, Faults, PingPassage, RequestPassage } from '../faults.ts';
import { FaultyLine } from './feed-faults.ts';
import { type NextRequest, strikeRequest } from './request-faults.ts';
import { Trigger } from './trigger.ts';

/** What planned faults are made of. */
export interface PlannedFaultsOptions {
  readonly plan: FaultPlan;
  readonly seed: number;
  readonly profile: WireProfile;
  /** The exchange's clock: the plan begins now. */
  readonly now: () => Micros;
  readonly later: SetTimer;
  /** Hears of everything that strikes. */
  readonly onFault?: (kind: FaultKind) => void;
}

/** A rule that is armed. */
interface Armed<Rule> {
  readonly rule: Rule;
  readonly trigger: Trigger;
}

/** The longest that a plan's reads are stale by. */
export const lagMaxOf = ({ requests }: FaultPlan): Micros =>
  micros(Math.max(0, ...requests.map((rule) => (rule.fault === 'stale' ? rule.by : 0))));

/** Faults by a plan. */
export class PlannedFaults implements Faults {
  readonly #options: PlannedFaultsOptions;
  readonly #startAt: Micros;
  readonly #requests: readonly Armed<RequestRule>[];
  readonly #feed: readonly Armed<FeedRule>[];
  readonly #clock: readonly ClockRule[];
  readonly #lines = new Map<number, FaultyLine>();

  constructor(options: PlannedFaultsOptions) {
    const { plan, seed, now } = options;
    this.#options = options;
    this.#startAt = now();
    const arm = <Rule extends RequestRule | FeedRule>(rules: readonly Rule[], name: string): Armed<Rule>[] =>
      rules.map((rule, index) => ({ rule, trigger: new Trigger(rule, new Chance(seed, `${name}/${index}`)) }));
    this.#requests = arm(plan.requests, 'requests');
    this.#feed = arm(plan.feed, 'feed');
    this.#clock = plan.clock;
  }

  request(passage: RequestPassage): void {
    const { profile } = this.#options;
    const { endpoint } = passage.request;
    const group = endpointOf(profile, endpoint).budget === 'read' ? 'reads' : 'trades';
    const struck = this.#strike(
      this.#requests,
      ({ on, accounts }) =>
        (on === undefined || on.includes(endpoint) || on.includes(group)) && isFor(accounts, passage.account),
    );
    this.#follow(passage, struck);
  }

  frame(passage: FramePassage): void {
    const { channel, account } = passage;
    const line = this.#lineOf(passage.connection);
    // What is lost in a silence is nobody else's to break.
    if (line.isSilent) return;
    const struck = this.#strike(
      this.#feed,
      ({ on, accounts }) =>
        (on === undefined || (channel !== null && on.includes(channel))) && isFor(accounts, account),
    );
    line.pass(passage, struck);
  }

  ping({ connection, send }: PingPassage): void {
    if (this.#lines.get(connection)?.isSilent !== true) send();
  }

  gone(connection: number): void {
    this.#lines.get(connection)?.drop();
    this.#lines.delete(connection);
  }

  clock(now: Micros): Micros {
    const at = now - this.#startAt;
    let shown: number = now;
    for (const { from, until = Infinity, ahead = 0, behind = 0 } of this.#clock)
      if (at >= from && at < until) shown += ahead - behind;
    return micros(shown);
  }

  /** The rules that strike, each of which has drawn if it fits. */
  #strike<Rule extends RequestRule | FeedRule>(armed: readonly Armed<Rule>[], fits: (rule: Rule) => boolean): Rule[] {
    if (armed.length === 0) return [];
    const at = this.#options.now() - this.#startAt;
    const struck = armed.filter(({ rule, trigger }) => fits(rule) && trigger.strikes(at)).map(({ rule }) => rule);
    for (const { fault } of struck) this.#options.onFault?.(fault);
    return struck;
  }

  /** Rules one inside the other, the first outermost. */
  #follow(passage: RequestPassage, rules: readonly RequestRule[]): void {
    const [rule, ...rest] = rules;
    if (rule === undefined) return passage.send(passage.act());
    const next: NextRequest = (changed) => this.#follow(changed, rest);
    strikeRequest(rule, { passage, next }, this.#options);
  }

  #lineOf(connection: number): FaultyLine {
    let line = this.#lines.get(connection);
    if (line === undefined) this.#lines.set(connection, (line = new FaultyLine(this.#options)));
    return line;
  }
}

const isFor = (accounts: readonly string[] | undefined, account: AccountName | null): boolean =>
  accounts === undefined || (account !== null && accounts.includes(account));
