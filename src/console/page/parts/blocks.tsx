// The blocks that every view is made of: panels, pairs of name and figure, bars of use, and the states of a view without
// data.
import type { ComponentChildren, JSX } from 'preact';
import { formatShare, shareOf } from '../format/figures.ts';
import { oldFiguresUs } from '../state/page-state.ts';
import { Moment } from './figures.tsx';

interface PanelProps {
  readonly title: string;
  /** Text beside the title, or controls at the right end. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly class?: string;
  /** False for a part that shows no figure: its age does not matter. */
  readonly hasFigures?: boolean;
}

/** A titled part of a view. */
export function Panel({ title, aside, children, class: name = '', hasFigures = true }: PanelProps): JSX.Element {
  const asOf = hasFigures ? oldFiguresUs.value : null;
  return (
    <section class={`panel ${name}`} aria-label={title}>
      <header class="panel-head">
        <h2>{title}</h2>
        {asOf !== null && (
          <span class="as-of">
            as of <Moment us={asOf} />
          </span>
        )}
        {aside !== undefined && <div class="panel-aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

interface FigureProps {
  readonly name: string;
  readonly children: ComponentChildren;
  readonly note?: ComponentChildren;
}

/** A named figure in a list of figures (`<dl>`). */
export const Figure = ({ name, children, note }: FigureProps): JSX.Element => (
  <div class="figure">
    <dt>{name}</dt>
    <dd>
      {children}
      {note !== undefined && <small>{note}</small>}
    </dd>
  </div>
);

/** Share of a bound above which its bar warns, and above which it alarms. */
const WARNING_SHARE = 0.8;
const ALARM_SHARE = 0.95;

const toneOf = (share: number): string =>
  share >= ALARM_SHARE ? 'alarm' : share >= WARNING_SHARE ? 'warning' : 'calm';

interface UseBarProps {
  readonly used: number;
  readonly allowed: number | null;
  readonly label: string;
  /** True when a full bar is good: a budget that is available. */
  readonly isSupply?: boolean;
}

/** A bar that shows the used share of a bound. */
export function UseBar({ used, allowed, label, isSupply = false }: UseBarProps): JSX.Element {
  const share = shareOf(used, allowed);
  return (
    <span
      class={`use-bar ${toneOf(isSupply ? 1 - share : share)}`}
      role="img"
      aria-label={`${label}: ${formatShare(used, allowed)}`}
    >
      <span class="use-fill" style={{ transform: `scaleX(${share})` }} />
    </span>
  );
}

/** A view or part without rows: the text says what would be here, and what to do. */
export const Empty = ({ children }: { readonly children: ComponentChildren }): JSX.Element => (
  <p class="empty">{children}</p>
);

/** A view whose data has not come: grey bars that appear after 150 ms, and no figure. */
export const Loading = ({
  rows = 4,
  label = 'Loading',
}: {
  readonly rows?: number;
  readonly label?: string;
}): JSX.Element => (
  <div class="loading" role="status" aria-label={label}>
    {Array.from({ length: rows }, (_, at) => (
      <span key={at} class="grey-bar" />
    ))}
  </div>
);

/** A short mark with a tone: `calm`, `well`, `warning`, `alarm`, `stale`. */
export const Mark = ({
  tone,
  children,
}: {
  readonly tone: string;
  readonly children: ComponentChildren;
}): JSX.Element => <span class={`mark ${tone}`}>{children}</span>;

/** A fault that a call of the API had. */
export const Fault = ({ text }: { readonly text: string }): JSX.Element => (
  <p class="fault" role="alert">
    {text}
  </p>
);
