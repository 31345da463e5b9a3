// Limits and their use as bars, the most used first.
import type { JSX } from 'preact';
import type { LiveSessionPart } from '../../../runtime/follow/follow-messages.ts';
import { formatLimit, formatShare } from '../format/figures.ts';
import { openDialog } from '../state/dialog-state.ts';
import { address, isOperator } from '../state/page-state.ts';
import { Empty, Mark, UseBar } from './blocks.tsx';

export type LimitUse = LiveSessionPart['limits'][number];

const ratioOf = ({ used, allowed }: LimitUse): number => (allowed > 0 ? used / allowed : used > 0 ? 1 : 0);

/** Returns the limits, the most used first. */
export const limitsByUse = (limits: readonly LimitUse[]): LimitUse[] =>
  limits.toSorted((a, b) => ratioOf(b) - ratioOf(a) || (a.limit < b.limit ? -1 : 1));

interface LimitRowsProps {
  readonly limits: readonly LimitUse[];
  readonly canOverride?: boolean;
}

export function LimitRows({ limits, canOverride = false }: LimitRowsProps): JSX.Element {
  if (limits.length === 0) return <Empty>No limits are in use.</Empty>;
  return (
    <ul class="limits">
      {limits.map((use) => (
        <LimitRow key={`${use.limit} ${use.strategy} ${use.subject}`} use={use} canOverride={canOverride} />
      ))}
    </ul>
  );
}

function LimitRow({ use, canOverride }: { readonly use: LimitUse; readonly canOverride: boolean }): JSX.Element {
  const { limit, strategy, subject, unit, used, allowed, isOverridden } = use;
  const { bot } = address.value;
  return (
    <li class="limit">
      <span class="limit-name">
        {limit}
        <span class="muted"> {[strategy, subject].filter((part) => part !== null).join(' · ')}</span>
        {isOverridden && <Mark tone="warning">override</Mark>}
      </span>
      <span class="limit-use num">
        {formatLimit(used, unit)} <span class="muted">of {formatLimit(allowed, unit)}</span>
      </span>
      <span class="limit-share num">{formatShare(used, allowed)}</span>
      <UseBar used={used} allowed={allowed} label={`${limit}${strategy === null ? '' : ` of ${strategy}`}`} />
      {canOverride && bot !== null && isOperator.value && (
        <button
          type="button"
          class="quiet"
          aria-label={`Override ${limit}${strategy === null ? '' : ` of ${strategy}`}`}
          onClick={() => (openDialog.value = { kind: 'override', bot, limit, strategy })}
        >
          Override…
        </button>
      )}
    </li>
  );
}
