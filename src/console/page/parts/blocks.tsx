// Common parts of the views, such as panels, figures and bars.
import type { ComponentChildren, JSX } from 'preact';
import { formatShare, shareOf } from '../format/figures.ts';
import { isGone } from '../state/live-data.ts';
import { oldFiguresUs } from '../state/page-state.ts';
import { Moment } from './figures.tsx';

interface PanelProps {
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly class?: string;
  /** False: the panel shows no figure, so its age does not matter. */
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

/** A named figure in a list (`<dl>`). */
export const Figure = ({ name, children, note }: FigureProps): JSX.Element => (
  <div class="figure">
    <dt>{name}</dt>
    <dd>
      {children}
      {note !== undefined && <small>{note}</small>}
    </dd>
  </div>
);

/** Used shares above which a bar warns, and above which it alarms. */
const WARNING_SHARE = 0.8;
const ALARM_SHARE = 0.95;

const toneOf = (share: number): string =>
  share >= ALARM_SHARE ? 'alarm' : share >= WARNING_SHARE ? 'warning' : 'calm';

interface UseBarProps {
  readonly used: number;
  readonly allowed: number | null;
  readonly label: string;
  /** True: a full bar is good, as for a budget. */
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

/** A text in place of missing rows. */
export const Empty = ({ children }: { readonly children: ComponentChildren }): JSX.Element => (
  <p class="empty">{children}</p>
);

interface LoadingProps {
  readonly rows?: number;
  readonly label?: string;
}

/** Takes the place of figures that the bot sends: grey bars, or a text while the bot does not answer. */
export const AwaitedFromBot = (props: LoadingProps): JSX.Element =>
  isGone.value ? (
    <Empty>Nothing to show until the bot answers. Timeline and Why show its earlier sessions.</Empty>
  ) : (
    <Loading {...props} />
  );

/** A view that waits for data: grey bars, and no figure. */
export const Loading = ({ rows = 4, label = 'Loading' }: LoadingProps): JSX.Element => (
  <div class="loading" role="status" aria-label={label}>
    {Array.from({ length: rows }, (_, at) => (
      <span key={at} class="grey-bar" />
    ))}
  </div>
);

/** A short label. `tone` is `calm`, `well`, `warning`, `alarm` or `stale`. */
export const Mark = ({
  tone,
  children,
}: {
  readonly tone: string;
  readonly children: ComponentChildren;
}): JSX.Element => <span class={`mark ${tone}`}>{children}</span>;

/** The text of a failed call. */
export const Fault = ({ text }: { readonly text: string }): JSX.Element => (
  <p class="fault" role="alert">
    {text}
  </p>
);
