// The list of views: at the left, or as tabs at the bottom of a phone.
import type { JSX } from 'preact';
import { type ViewName, formatAddress } from '../state/address.ts';
import { openDialog } from '../state/dialog-state.ts';
import { address, botNames, loginState, logOut } from '../state/page-state.ts';
import { switchTheme, theme } from '../state/preferences.ts';
import { Icon, type IconName } from './icons.tsx';

/** The views, from top to bottom. */
export const RAIL: readonly { readonly view: ViewName & IconName; readonly title: string; readonly isTab: boolean }[] =
  [
    { view: 'overview', title: 'Overview', isTab: true },
    { view: 'markets', title: 'Markets', isTab: true },
    { view: 'orders', title: 'Orders', isTab: true },
    { view: 'strategies', title: 'Strategies', isTab: false },
    { view: 'risk', title: 'Risk', isTab: false },
    { view: 'feed', title: 'Feed', isTab: false },
    { view: 'timeline', title: 'Timeline', isTab: false },
    { view: 'why', title: 'Why', isTab: true },
  ];

const isCurrent = (view: ViewName, shown: ViewName): boolean =>
  view === shown || (view === 'markets' && shown === 'market');

export function Rail(): JSX.Element {
  const { bot, view: shown } = address.value;
  const target = bot ?? botNames.value[0] ?? null;
  return (
    <nav class="rail" aria-label="Views">
      {RAIL.map(({ view, title, isTab }) => (
        <a
          key={view}
          class={isTab ? '' : 'rail-only'}
          href={formatAddress(view === 'overview' ? { bot } : { bot: target, view })}
          aria-current={isCurrent(view, shown) ? 'page' : undefined}
        >
          <Icon name={view} />
          <span>{title}</span>
        </a>
      ))}
      <button type="button" class="tab-only" onClick={() => (openDialog.value = { kind: 'more' })}>
        <Icon name="more" />
        <span>More</span>
      </button>
      <span class="spacer rail-only" />
      <div class="rail-foot rail-only">
        <RailButtons />
      </div>
    </nav>
  );
}

/** The buttons at the end of the list: colors, keys, logout. */
export function RailButtons(): JSX.Element {
  const login = loginState.value.state === 'in' ? loginState.value.login : null;
  return (
    <>
      <button type="button" class="quiet" onClick={switchTheme}>
        <Icon name="theme" />
        <span>Colors: {theme.value}</span>
      </button>
      <button type="button" class="quiet" onClick={() => (openDialog.value = { kind: 'help' })}>
        <Icon name="keys" />
        <span>Keys</span>
      </button>
      {login && (
        <button
          type="button"
          class="quiet"
          onClick={() => void logOut()}
          title={`Logged in as ${login.name}, ${login.role}`}
        >
          <Icon name="leave" />
          <span>Log out {login.name}</span>
        </button>
      )}
    </>
  );
}
