// Keeps the actions of the last 24 hours by id. Must never run one action twice, nor take one id for two actions.
import { createHash } from 'node:crypto';
import type { Action } from '../api/api-schemas.ts';
import { ProblemFault } from '../server/problem.ts';

const KEEP_MS = 24 * 3_600_000;
const ACTIONS_MAX = 5000;

/** The beginning of an action. */
export type ActionDraft = Pick<Action, 'actionId' | 'bot' | 'kind' | 'scope' | 'by' | 'reason' | 'state' | 'text'>;

interface KeptAction {
  action: Action;
  readonly madeMs: number;
  /** Digest of the request. It is `null` after a restart of the console. */
  readonly digest: string | null;
}

const hasEnded = (state: Action['state']): boolean => state === 'confirmed' || state === 'failed';

/** Returns a digest. A repeated request has the same digest. */
export const requestDigest = (kind: Action['kind'], bot: string, body: object): string =>
  createHash('sha256')
    .update(JSON.stringify([kind, bot, Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1))]))
    .digest('hex');

/** The actions of all bots. */
export class ActionStore {
  readonly #nowMs: () => number;
  readonly #onChange: (action: Action) => void;
  /** By id, oldest first. Added when accepted; removed after 24 hours. */
  readonly #actions = new Map<string, KeptAction>();

  constructor(nowMs: () => number, onChange: (action: Action) => void) {
    this.#nowMs = nowMs;
    this.#onChange = onChange;
  }

  /** Adds the actions of an earlier console. An unfinished action counts as failed. */
  restoreActions(actions: readonly Action[]): void {
    for (const action of actions) {
      const madeMs = Math.min(...Object.values(action.at), this.#nowMs() * 1000) / 1000;
      const text = 'The console ended before this was confirmed. `presage status` shows the halts and what rests.';
      const kept: Action = hasEnded(action.state) ? action : { ...action, state: 'failed', text };
      this.#actions.set(action.actionId, { action: kept, madeMs, digest: null });
    }
    this.#dropOld();
  }

  /**
   * Returns the action of a repeated request; `null` when the id is new.
   * @throws {ProblemFault} when another request has used the id.
   */
  findRepeated(actionId: string, digest: string, expected: Pick<Action, 'kind' | 'bot'>): Action | null {
    const kept = this.#actions.get(actionId);
    if (kept === undefined) return null;
    const { action } = kept;
    const isSame = action.kind === expected.kind && action.bot === expected.bot;
    if (!isSame || (kept.digest !== null && kept.digest !== digest))
      throw new ProblemFault('conflict', 'another action has this actionId');
    return action;
  }

  beginAction(draft: ActionDraft, digest: string): Action {
    const action: Action = { ...draft, canceled: 0, left: [], at: { [draft.state]: this.#nowMs() * 1000 } };
    this.#actions.set(draft.actionId, { action, madeMs: this.#nowMs(), digest });
    this.#dropOld();
    this.#onChange(action);
    return action;
  }

  /** Changes an action. A new state gets its time. An action that has ended keeps its state and text. */
  changeAction(actionId: string, given: Partial<Omit<Action, 'actionId' | 'at'>>): void {
    const kept = this.#actions.get(actionId);
    if (kept === undefined) return;
    const { state, text } = kept.action;
    const change = hasEnded(state) ? { ...given, state, text } : given;
    const { at } = kept.action;
    const reached = change.state === undefined || change.state in at ? {} : { [change.state]: this.#nowMs() * 1000 };
    kept.action = { ...kept.action, ...change, at: { ...at, ...reached } };
    this.#onChange(kept.action);
  }

  actionOf(bot: string, actionId: string): Action | null {
    const found = this.#actions.get(actionId)?.action;
    return found === undefined || found.bot !== bot ? null : found;
  }

  actionsOf(bot: string): readonly Action[] {
    this.#dropOld();
    return [...this.#actions.values()]
      .map(({ action }) => action)
      .filter((action) => action.bot === bot)
      .reverse();
  }

  #dropOld(): void {
    const nowMs = this.#nowMs();
    for (const [id, { madeMs }] of this.#actions) {
      if (nowMs - madeMs <= KEEP_MS && this.#actions.size <= ACTIONS_MAX) break;
      this.#actions.delete(id);
    }
  }
}
