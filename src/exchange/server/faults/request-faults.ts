// What can happen to a request, one small piece a fault: each takes the passage, and hands it on changed or not at all.
// Must never carry a request out twice, nor answer it twice.
import type { RequestRule } from '../../../config/fault-config.ts';
import type { Micros } from '../../../domain/units.ts';
import type { WireProfile } from '../../../venues/trade-api/profile.ts';
import type { SetTimer } from '../../driver.ts';
import type { WireAnswer } from '../call.ts';
import type { RequestPassage } from '../faults.ts';
import { tooMany } from '../reception.ts';
import { nested } from '../refusals.ts';

/** What the pieces work with. */
export interface RequestFaultTools {
  readonly profile: WireProfile;
  readonly now: () => Micros;
  readonly later: SetTimer;
}

/** Hands a passage on. */
export type NextRequest = (passage: RequestPassage) => void;

/** One passage and the way on. */
interface Step {
  readonly passage: RequestPassage;
  readonly next: NextRequest;
}

type Pieces = {
  readonly [Kind in RequestRule['fault']]: (
    rule: Extract<RequestRule, { fault: Kind }>,
    step: Step,
    tools: RequestFaultTools,
  ) => void;
};

const MICROS_PER_MS = 1000;

/** A success with another body. What was refused stays refused. */
const withBody = (answer: WireAnswer | null, body: string): WireAnswer | null =>
  answer === null || answer.status >= 300 ? answer : { ...answer, body };

const ODD_BODIES = { 'no-order': '{}', empty: '', garbage: '<html><body>upstream' } as const;

const PIECES: Pieces = {
  'drop-answer': (_rule, { passage, next }) => next({ ...passage, send: () => passage.send(null) }),
  'drop-request': (_rule, { passage }) => passage.send(null),
  delay({ before, after }, { passage, next }, { later }) {
    const send: RequestPassage['send'] = (answer) => wait(later, after, () => passage.send(answer));
    wait(later, before, () => next({ ...passage, send }));
  },
  'too-many-requests'({ retryAfter }, { passage }, { profile, now }) {
    const at = now();
    const { retryAfter: usual, ...answer } = tooMany(profile, at, at);
    const told = retryAfter === undefined ? usual : retryAfter;
    passage.send(told === undefined || told === 'never-said' ? answer : { ...answer, retryAfter: told });
  },
  'server-error'({ status, acts }, { passage, next }) {
    const answer = nested(status, status === 503 ? 'service_unavailable' : 'internal_server_error');
    if (acts) next({ ...passage, send: () => passage.send(answer) });
    else passage.send(answer);
  },
  'odd-answer': ({ body }, { passage, next }) =>
    next({ ...passage, send: (answer) => passage.send(withBody(answer, ODD_BODIES[body])) }),
  stale: ({ by }, { passage, next }) => next({ ...passage, act: () => passage.act(by) }),
};

/** At once where there is nothing to wait for: order is kept where nothing is late. */
function wait(later: SetTimer, delay: Micros, act: () => void): void {
  if (delay > 0) later(delay / MICROS_PER_MS, act);
  else act();
}

/** Does to a passage what a rule says. */
export function strikeRequest(rule: RequestRule, step: Step, tools: RequestFaultTools): void {
  // tidy: as — the piece of a rule's kind takes that rule.
  const piece = PIECES[rule.fault] as (rule: RequestRule, step: Step, tools: RequestFaultTools) => void;
  piece(rule, step, tools);
}
