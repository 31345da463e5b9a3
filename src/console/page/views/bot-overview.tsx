// The overview of one bot: money, risk, recent events, and markets with orders or positions.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { MarketRow } from '../../api/api-schemas.ts';
import type { LiveSessionPart } from '../../../runtime/follow/follow-messages.ts';
import { AwaitedFromBot, Empty, Figure, Mark, Panel, UseBar } from '../parts/blocks.tsx';
import { EventList } from '../parts/event-list.tsx';
import { Age, Money, Moment, Price, Qty } from '../parts/figures.tsx';
import { LimitRows, limitsByUse } from '../parts/limit-rows.tsx';
import { PastAccount } from '../parts/past-account.tsx';
import { PastProfit } from '../parts/past-profit.tsx';
import { bookState } from '../format/book-state.ts';
import { centDigitsOf, formatCount, formatShare } from '../format/figures.ts';
import { formatAge, formatTenths } from '../format/times.ts';
import { formatAddress } from '../state/address.ts';
import { readMarkets } from '../state/api-calls.ts';
import { openDialog } from '../state/dialog-state.ts';
import { events, isGone, isPaper, session } from '../state/live-data.ts';
import { consoleClockUs, freshness, isOperator } from '../state/page-state.ts';
import { seen } from '../state/preferences.ts';

const LIMITS_SHOWN = 4;
const EVENTS_SHOWN = 12;

export function BotOverview({ bot }: { readonly bot: string }): JSX.Element {
  const now = session.value?.value;
  if (!now)
    return (
      <>
        <AwaitedFromBot rows={8} label={`Loading ${bot}`} />
        {isGone.value && !isPaper.value && <PastAccount bot={bot} />}
        {isGone.value && <PastProfit bot={bot} />}
      </>
    );
  return (
    <>
      <h1 class="sr-only">{bot}</h1>
      <AccountFigures now={now} />
      <div class="columns">
        <div class="column">
          <RiskPanel bot={bot} now={now} />
          <OursPanel bot={bot} />
        </div>
        <div class="column">
          {now.alarms.length > 0 && <AlarmsPanel now={now} />}
          <HealthPanel now={now} />
          <SinceLastLook bot={bot} />
          {isOperator.value && <ControlsPanel bot={bot} />}
        </div>
      </div>
    </>
  );
}

/** Before the account has been read, its figures are unknown, and not zero. */
function AccountFigures({ now: { account: read, lastFillUs } }: { readonly now: LiveSessionPart }): JSX.Element {
  const account = read.isOpen ? read : null;
  return (
    <dl class="figures headline">
      <Figure
        name="Profit today (UTC)"
        note={<Small name="all" value={<Money micros={account?.profitMicros} isSigned />} />}
      >
        <Money micros={account?.dayMicros} isSigned />
      </Figure>
      <Figure name="Equity" note={<Small name="drawdown" value={<Money micros={account?.drawdownMicros} />} />}>
        <Money micros={account?.equityMicros} />
      </Figure>
      <Figure name="Cash" note={<Small name="reserved" value={<Money micros={account?.reservedMicros} />} />}>
        <Money micros={account?.cashMicros} />
      </Figure>
      <Figure
        name="Positions"
        note={<Small name="unrealized" value={<Money micros={account?.unrealizedMicros} isSigned />} />}
      >
        <Money micros={account?.positionsValueMicros} />
      </Figure>
      <Figure name="Fees paid" note={<Small name="last fill" value={<Age us={lastFillUs} />} />}>
        <Money micros={account?.feesMicros} />
      </Figure>
    </dl>
  );
}

const Small = ({ name, value }: { readonly name: string; readonly value: ComponentChildren }): JSX.Element => (
  <>
    {name} {value}
  </>
);

function RiskPanel({ bot, now }: { readonly bot: string; readonly now: LiveSessionPart }): JSX.Element {
  const { exposureMicros, exposureMaxMicros } = now.account;
  return (
    <Panel title="At risk" aside={<a href={formatAddress({ bot, view: 'risk' })}>All limits</a>}>
      <div class="exposure">
        <span class="big-figure">
          <Money micros={exposureMicros} />
        </span>
        {exposureMaxMicros !== null && (
          <span class="muted">
            of <Money micros={exposureMaxMicros} />,{' '}
            <span class="num">{formatShare(exposureMicros, exposureMaxMicros)}</span>
          </span>
        )}
        <UseBar used={exposureMicros} allowed={exposureMaxMicros} label="Exposure of its limit" />
      </div>
      <LimitRows limits={limitsByUse(now.limits).slice(0, LIMITS_SHOWN)} />
    </Panel>
  );
}

const OURS_READ_MS = 2000;
const OURS_SHOWN = 30;

function OursPanel({ bot }: { readonly bot: string }): JSX.Element {
  const [ours, setOurs] = useState<{ readonly rows: readonly MarketRow[]; readonly total: number } | null>(null);
  useEffect(() => {
    const read = (): void => {
      if (document.visibilityState === 'hidden') return;
      readMarkets(bot, { sort: 'ours', q: '', ours: true, from: 0, to: OURS_SHOWN }).then(setOurs, () => null);
    };
    read();
    const timer = window.setInterval(read, OURS_READ_MS);
    return () => window.clearInterval(timer);
  }, [bot]);
  const all = <a href={formatAddress({ bot, view: 'markets', query: { ours: '1' } })}>All of ours</a>;
  return (
    <Panel title={`Our markets${ours ? ` (${formatCount(ours.total)})` : ''}`} aside={all}>
      {ours === null ? <AwaitedFromBot /> : <OursTable bot={bot} rows={ours.rows} />}
    </Panel>
  );
}

function BookMark({ row }: { readonly row: MarketRow }): JSX.Element | null {
  const { text, isOver } = bookState(row);
  if (isOver) return <Mark tone="calm">{text}</Mark>;
  return row.trust === 'live' ? null : <Mark tone="stale">{text}</Mark>;
}

function OursTable({ bot, rows }: { readonly bot: string; readonly rows: readonly MarketRow[] }): JSX.Element {
  if (rows.length === 0)
    return <Empty>No orders and no positions now. The reasons are in the view of the strategies.</Empty>;
  const digits = centDigitsOf(rows.flatMap(({ ownBid, ownAsk }) => [ownBid, ownAsk]));
  return (
    <div class="table-scroll">
      <table class="table">
        <thead>
          <tr>
            <th>Market</th>
            <th class="right">Our bid</th>
            <th class="right">Our ask</th>
            <th class="right">Position</th>
            <th class="right">Day</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.ticker}>
              <td class="ticker-cell">
                <a href={formatAddress({ bot, view: 'market', subject: row.ticker })} title={row.title}>
                  {row.ticker}
                </a>
                <BookMark row={row} />
              </td>
              <td class="right">
                <Price price={row.ownBid} digits={digits} side="bid" />
              </td>
              <td class="right">
                <Price price={row.ownAsk} digits={digits} side="ask" />
              </td>
              <td class="right">
                <Qty qty={row.position} isSigned />
              </td>
              <td class="right">
                <Money micros={row.dayMicros} isSigned />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const AlarmsPanel = ({ now: { alarms } }: { readonly now: LiveSessionPart }): JSX.Element => (
  <Panel title={`Alarms (${alarms.length})`}>
    <ul class="lines" aria-live="polite">
      {alarms.map(({ code, count, lastUs, text }) => (
        <li key={code}>
          <Mark tone="warning">{code}</Mark>
          <span>{text}</span>
          <span class="muted">
            {count > 1 && `×${formatCount(count)} `}
            <Moment us={lastUs} />
          </span>
        </li>
      ))}
    </ul>
  </Panel>
);

function HealthPanel({ now }: { readonly now: LiveSessionPart }): JSX.Element {
  const { feed, budgets, orders, clock, marketCount } = now;
  return (
    <Panel title="Health">
      <dl class="facts wide">
        <div>
          <dt>Feed</dt>
          <dd class={feed.isUp ? '' : 'loss'}>
            <span class="num">{feed.isUp ? formatAge(feed.ageMs) : 'down'}</span>
          </dd>
        </div>
        <div>
          <dt>Books not live</dt>
          <dd>
            <span class="num">
              {formatCount(feed.untrustedBooks)} of {formatCount(marketCount)}
            </span>
          </dd>
        </div>
        <div>
          <dt>Trade budget</dt>
          <dd>
            <span class="num">{formatShare(budgets.trade.available, budgets.trade.capacity)}</span>
          </dd>
        </div>
        <div>
          <dt>Orders</dt>
          <dd>
            <span class="num">{formatCount(orders.working)}</span>
            {orders.unknown > 0 && <Mark tone="alarm">{orders.unknown} unknown</Mark>}
          </dd>
        </div>
        <div>
          <dt>Loop late</dt>
          <dd>
            <span class="num">{formatTenths(clock.loopLateMs)}</span>
          </dd>
        </div>
      </dl>
      {feed.fault !== null && <p class="fault">{feed.fault}</p>}
      {feed.privateFault !== null && <p class="fault">{feed.privateFault}</p>}
    </Panel>
  );
}

/** Shows the newest events, and marks the unseen ones. Leaving the view marks all events as seen. */
function SinceLastLook({ bot }: { readonly bot: string }): JSX.Element {
  const [since] = useState(() => seen.value[bot] ?? 0);
  useEffect(
    () => () => {
      if (freshness.peek() === 'live') seen.value = { ...seen.peek(), [bot]: consoleClockUs() };
    },
    [bot],
  );
  const rows = events.value;
  const fresh = rows?.filter(({ atUs }) => atUs > since).length ?? 0;
  const title = since > 0 && fresh > 0 ? `Events (${formatCount(fresh)} since you last looked)` : 'Events';
  return (
    <Panel title={title} aside={<a href={formatAddress({ bot, view: 'timeline' })}>Timeline</a>}>
      {rows === null ? <AwaitedFromBot /> : <EventList bot={bot} events={rows.slice(-EVENTS_SHOWN).toReversed()} />}
    </Panel>
  );
}

const ControlsPanel = ({ bot }: { readonly bot: string }): JSX.Element => (
  <Panel title="Controls" hasFigures={false}>
    <div class="buttons">
      <button type="button" onClick={() => (openDialog.value = { kind: 'cancel-all', bot, scope: 'account' })}>
        Cancel all orders…
      </button>
      <button type="button" onClick={() => (openDialog.value = { kind: 'flatten', bot })}>
        Flatten…
      </button>
      <AlertTest />
    </div>
  </Panel>
);

function AlertTest(): JSX.Element {
  return (
    <button type="button" onClick={() => (openDialog.value = { kind: 'alert-test' })}>
      Send a test alert
    </button>
  );
}
