// Injects faults into requests, one small function per fault. A function passes the request on, perhaps changed, or
// answers in place of the exchange. Must never execute a request twice, nor answer it twice.
import type { RequestRule } from '../../config/fault-config.ts';
import type { Micros } from '../../domain/units.ts';
import type { WireProfile } from '../../venues/trade-api/profiles/wire-profile.ts';
import type { SetTimer } from '../session/exchange-driver.ts';
import type { WireAnswer } from '../api/endpoint-call.ts';
import type { PendingRequest } from './fault-injector.ts';
import { tooManyRequests } from '../api/request-handler.ts';
import { nestedError } from '../api/api-errors.ts';

/** Profile, clock and timers of the injection. */
export interface RequestInjectionTools {
  readonly profile: WireProfile;
  readonly now: () => Micros;
  readonly later: SetTimer;
}

/** Passes a request on to the next rule, or to the exchange after the last rule. */
export type NextRequest = (request: PendingRequest) => void;

interface InjectionStep {
  readonly passage: PendingRequest;
  readonly next: NextRequest;
}

type Injectors = {
  readonly [Kind in RequestRule['fault']]: (
    rule: Extract<RequestRule, { fault: Kind }>,
    step: InjectionStep,
    tools: RequestInjectionTools,
  ) => void;
};

const MICROS_PER_MS = 1000;

const withBody = (answer: WireAnswer | null, body: string): WireAnswer | null =>
  answer === null || answer.status >= 300 ? answer : { ...answer, body };

const ODD_BODIES = { 'no-order': '{}', empty: '', garbage: '<html><body>upstream' } as const;

const INJECTORS: Injectors = {
  'drop-answer': (_rule, { passage, next }) => next({ ...passage, send: () => passage.send(null) }),
  'drop-request': (_rule, { passage }) => passage.send(null),
  delay({ before, after }, { passage, next }, { later }) {
    const send: PendingRequest['send'] = (answer) => wait(later, after, () => passage.send(answer));
    wait(later, before, () => next({ ...passage, send }));
  },
  'too-many-requests'({ retryAfter }, { passage }, { profile, now }) {
    const at = now();
    const { retryAfter: usual, ...answer } = tooManyRequests(profile, at, at);
    const seconds = retryAfter === undefined ? usual : retryAfter;
    passage.send(seconds === undefined || seconds === 'never-said' ? answer : { ...answer, retryAfter: seconds });
  },
  'server-error'({ status, acts }, { passage, next }) {
    const answer = nestedError(status, status === 503 ? 'service_unavailable' : 'internal_server_error');
    if (acts) next({ ...passage, send: () => passage.send(answer) });
    else passage.send(answer);
  },
  'odd-answer': ({ body }, { passage, next }) =>
    next({ ...passage, send: (answer) => passage.send(withBody(answer, ODD_BODIES[body])) }),
  stale: ({ by }, { passage, next }) => next({ ...passage, execute: () => passage.execute(by) }),
};

/** Acts at once without a delay, so that undelayed requests stay in sequence. */
function wait(later: SetTimer, delay: Micros, act: () => void): void {
  if (delay > 0) later(delay / MICROS_PER_MS, act);
  else act();
}

/** Applies a rule to a request, by the function for the rule's fault. */
export function injectRequestFault(rule: RequestRule, step: InjectionStep, tools: RequestInjectionTools): void {
  // tidy: as — the function of a rule's kind takes that rule.
  const injector = INJECTORS[rule.fault] as (
    rule: RequestRule,
    step: InjectionStep,
    tools: RequestInjectionTools,
  ) => void;
  injector(rule, step, tools);
}
