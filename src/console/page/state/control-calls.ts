// Sends controls, and asks for their state until they end. Must never show a control as done before the console says
// `confirmed`.
import { signal } from '@preact/signals';
import type { Action, FlattenPreview } from './control-types.ts';
import { makeActionId } from './action-id.ts';
import { ApiProblem, botPath, callApi, textOfFault } from './api-calls.ts';
import { actions } from './live-data.ts';

const POLL_MS = 400;
/** Most repeats of a request without an answer. The id stays the same, so the control runs once. */
const REPEATS = 3;
const ACTIONS_MAX = 50;
const CONTROLS_AT_FULL_PACE = 4;
/** Wait after a refusal for the rate that names no other. Milliseconds. */
const BUSY_MS = 1000;
/** Most repeats of a reason that was refused for the rate. */
const REASON_REPEATS = 60;

/** A control that the page sent. `action` is `null` until the console accepts it. */
export interface SentControl {
  readonly actionId: string;
  readonly bot: string;
  readonly kind: Action['kind'];
  readonly scope: string;
  readonly action: Action | null;
  /** Reason of a refusal or a failed request; `null` while there is none. */
  readonly fault: string | null;
  readonly delivery: Delivery;
}

/**
 * It is `repeating` while no answer has arrived and the control is sent again, `unknown` when it is not sent again, and
 * `known` in every other case.
 */
export type Delivery = 'known' | 'repeating' | 'unknown';

/** True when a control was refused: it changed nothing, and is not sent again. */
const isRefused = ({ action, fault, delivery }: SentControl): boolean =>
  action === null && fault !== null && delivery === 'known';

/** Controls that this page sent, newest first. */
export const sentControls = signal<readonly SentControl[]>([]);

/** True when the control of an id was refused. */
export const wasRefused = (actionId: string): boolean =>
  sentControls.value.some((each) => each.actionId === actionId && isRefused(each));

/** A control to send. The body has no id yet. */
export interface ControlRequest {
  readonly bot: string;
  readonly kind: Action['kind'];
  readonly scope: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const PATHS: Readonly<Record<Action['kind'], string>> = {
  halt: '/halt',
  resume: '/resume',
  'cancel-all': '/cancel-all',
  flatten: '/flatten',
  override: '/overrides',
};

function changeControl(actionId: string, change: Partial<SentControl>): void {
  sentControls.value = sentControls.value.map((each) => (each.actionId === actionId ? { ...each, ...change } : each));
  const changed = change.action;
  if (changed)
    actions.value = [changed, ...actions.value.filter((each) => each.actionId !== actionId)].slice(0, ACTIONS_MAX);
}

/** Time between two questions for a state. Many controls at once ask less often: a login has 20 requests a second. */
const pollMs = (): number => {
  const running = sentControls.value.filter(({ action, fault }) => fault === null && !hasEnded(action)).length;
  return POLL_MS * Math.max(1, Math.ceil(running / CONTROLS_AT_FULL_PACE));
};

const isBusy = (fault: unknown): fault is ApiProblem => fault instanceof ApiProblem && fault.status === 429;

const pause = (ms: number): Promise<void> => new Promise((done) => void setTimeout(done, ms));

const hasEnded = (action: Action | null): boolean => action?.state === 'confirmed' || action?.state === 'failed';

/** Sends a control and follows it to its end. Returns the id at once. */
export function sendControl({ bot, kind, scope, body }: ControlRequest): string {
  const actionId = makeActionId();
  const sent: SentControl = { actionId, bot, kind, scope, action: null, fault: null, delivery: 'known' };
  sentControls.value = [sent, ...sentControls.value].slice(0, ACTIONS_MAX);
  void runControl({ bot, kind, scope, body: { ...body, actionId } }, actionId);
  return actionId;
}

async function runControl(request: ControlRequest, actionId: string): Promise<void> {
  const action = await postControl(request, actionId);
  if (action === null) return;
  changeControl(actionId, { action, fault: null, delivery: 'known' });
  await followAction(request.bot, action);
}

async function postControl({ bot, kind, body }: ControlRequest, actionId: string): Promise<Action | null> {
  for (let attempt = 0; attempt <= REPEATS; attempt++) {
    try {
      const answer = await callApi<Action | { action: Action }>(botPath(bot, PATHS[kind]), { method: 'POST', body });
      return 'action' in answer ? answer.action : answer;
    } catch (fault) {
      const isLost = fault instanceof ApiProblem && (fault.status === 0 || fault.status >= 500);
      const delivery = !isLost ? 'known' : attempt < REPEATS ? 'repeating' : 'unknown';
      changeControl(actionId, { fault: textOfFault(fault), delivery });
      if (delivery !== 'repeating') return null;
      await pause(POLL_MS * 2 ** attempt);
    }
  }
  return null;
}

async function followAction(bot: string, first: Action): Promise<void> {
  let action: Action | null = first;
  while (!hasEnded(action)) {
    await pause(pollMs());
    try {
      action = await callApi<Action>(botPath(bot, `/actions/${first.actionId}`));
      changeControl(first.actionId, { action, fault: null });
    } catch (fault) {
      if (isBusy(fault)) {
        await pause(fault.retryAfterMs ?? BUSY_MS);
        continue;
      }
      changeControl(first.actionId, { fault: textOfFault(fault) });
      if (fault instanceof ApiProblem && fault.status >= 400 && fault.status < 500) return;
      await pause(POLL_MS * 4);
    }
  }
}

/** Adds the reason of a halt. Returns the text of a fault, or `null`. */
export async function giveReason(bot: string, actionId: string, reason: string): Promise<string | null> {
  for (let repeats = 0; ; repeats++)
    try {
      await callApi(botPath(bot, `/actions/${actionId}`), { method: 'PATCH', body: { reason } });
      return null;
    } catch (fault) {
      // The halt of many bots has a reason for each, and a login has four controls a second.
      if (!isBusy(fault) || repeats === REASON_REPEATS) return textOfFault(fault);
      await pause(fault.retryAfterMs ?? BUSY_MS);
    }
}

/** Names an override. `strategy` is `null` for a limit of the account. */
export interface OverrideName {
  readonly limit: string;
  readonly strategy: string | null;
}

/** Ends an override. Returns the text of a fault, or `null`. */
export async function endOverride(bot: string, { limit, strategy }: OverrideName): Promise<string | null> {
  const id = encodeURIComponent(strategy === null ? limit : `${strategy}:${limit}`);
  const body = { reason: 'ended on the page', actionId: makeActionId() };
  try {
    await callApi(botPath(bot, `/overrides/${id}`), { method: 'DELETE', body });
    return null;
  } catch (fault) {
    return textOfFault(fault);
  }
}

/** Reads the orders that a flatten would send now. */
export const previewFlatten = (bot: string): Promise<FlattenPreview> =>
  callApi(botPath(bot, '/flatten/preview'), { method: 'POST', body: {} });
