// The frame of the page: bar, list of views, banners, one view, and the open dialog.
import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type ViewName, formatAddress } from '../state/address.ts';
import { openDialog } from '../state/dialog-state.ts';
import { isGone } from '../state/live-data.ts';
import { address, botNames, freshness, loginState } from '../state/page-state.ts';
import { BotOverview } from '../views/bot-overview.tsx';
import { BotsOverview } from '../views/bots-overview.tsx';
import { FeedView } from '../views/feed-view.tsx';
import { MarketsView } from '../views/markets-view.tsx';
import { OrdersView } from '../views/orders-view.tsx';
import { RiskView } from '../views/risk-view.tsx';
import { StrategiesView } from '../views/strategies-view.tsx';
import { TimelineView } from '../views/timeline-view.tsx';
import { WhyView } from '../views/why-view.tsx';
import { AlertDialog } from '../dialogs/alert-dialog.tsx';
import { Banners } from './banners.tsx';
import { Empty, Fault, Loading } from './blocks.tsx';
import { CancelAllDialog, HaltDialog, ResumeDialog } from '../dialogs/control-dialogs.tsx';
import { DialogFrame } from '../dialogs/dialog-frame.tsx';
import { FlattenDialog } from '../dialogs/flatten-dialog.tsx';
import { KEY_HELP } from './keyboard.ts';
import { LoginForm } from './login-form.tsx';
import { OverrideDialog } from '../dialogs/override-dialog.tsx';
import { Rail, RailButtons, RAIL } from './rail.tsx';
import { TopBar } from './top-bar.tsx';

/** Properties of a view of one bot. */
export interface BotViewProps {
  readonly bot: string;
}

const VIEWS: Readonly<Record<ViewName, ComponentType<BotViewProps>>> = {
  overview: BotOverview,
  markets: MarketsView,
  market: LazyMarket,
  orders: OrdersView,
  strategies: StrategiesView,
  risk: RiskView,
  feed: FeedView,
  timeline: TimelineView,
  why: WhyView,
};

export function Shell(): JSX.Element {
  const login = loginState.value;
  if (login.state === 'checking') return <Loading label="Asking the console who is logged in" />;
  if (login.state === 'out') return <LoginForm fault={login.fault} />;
  const { bot, view } = address.value;
  const View = VIEWS[view];
  return (
    <div class="shell" data-freshness={isGone.value && freshness.value === 'live' ? 'stale' : freshness.value}>
      <TopBar />
      <Rail />
      <Banners />
      <main class="view" data-view={bot === null ? 'bots' : view} tabIndex={0}>
        {bot === null ? (
          <BotsOverview />
        ) : botNames.value.includes(bot) ? (
          <View key={`${bot} ${view}`} bot={bot} />
        ) : (
          <Empty>
            This console has no bot {bot}. <a href="#/">All bots</a>
          </Empty>
        )}
      </main>
      <Dialogs />
    </div>
  );
}

function LazyMarket(props: BotViewProps): JSX.Element {
  const [View, setView] = useState<ComponentType<BotViewProps> | null>(null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    import('../views/market-view.tsx').then(
      ({ MarketView }) => setView(() => MarketView),
      () => setFailed(true),
    );
  }, []);
  if (hasFailed) return <Fault text="The code of this view did not load. Load the page again." />;
  return View ? <View {...props} /> : <Loading rows={8} />;
}

function Dialogs(): JSX.Element | null {
  const open = openDialog.value;
  if (open === null) return null;
  switch (open.kind) {
    case 'help':
      return <HelpDialog />;
    case 'more':
      return <MoreDialog />;
    case 'alert-test':
      return <AlertDialog />;
    case 'halt':
      return <HaltDialog key={open.sent.join()} {...open} />;
    case 'resume':
      return <ResumeDialog {...open} />;
    case 'cancel-all':
      return <CancelAllDialog {...open} />;
    case 'flatten':
      return <FlattenDialog {...open} />;
    case 'override':
      return <OverrideDialog {...open} />;
  }
}

const HelpDialog = (): JSX.Element => (
  <DialogFrame title="Keys">
    <dl class="key-help">
      {KEY_HELP.map(([keys, effect]) => (
        <div key={keys}>
          <dt>
            <kbd>{keys}</kbd>
          </dt>
          <dd>{effect}</dd>
        </div>
      ))}
    </dl>
  </DialogFrame>
);

const MoreDialog = (): JSX.Element => (
  <DialogFrame title="More">
    <nav class="more-list" aria-label="More views">
      {RAIL.filter(({ isTab }) => !isTab).map(({ view, title }) => (
        <a key={view} href={formatAddress({ bot: address.value.bot, view })} onClick={() => (openDialog.value = null)}>
          {title}
        </a>
      ))}
      <RailButtons />
    </nav>
  </DialogFrame>
);
