// The feed and the rate budgets of the bot.
import type { ComponentChildren, JSX } from 'preact';
import type { LiveSessionPart } from '../../../runtime/follow/follow-messages.ts';
import { AwaitedFromBot, Empty, Mark, Panel, UseBar } from '../parts/blocks.tsx';
import { Money, Moment, Qty } from '../parts/figures.tsx';
import { formatBytes, formatCount, formatShare } from '../format/figures.ts';
import { formatAge, formatSpan, formatTenths } from '../format/times.ts';
import { hello, session } from '../state/live-data.ts';

export function FeedView(): JSX.Element {
  const now = session.value?.value;
  if (!now) return <AwaitedFromBot rows={8} label="Loading the feed" />;
  return (
    <>
      <header class="view-head">
        <h1>Feed and budgets</h1>
      </header>
      <div class="columns">
        <div class="column">
          <FeedPanel now={now} />
          <ClockPanel now={now} />
        </div>
        <div class="column">
          <BudgetPanel now={now} />
          <DriftPanel now={now} />
          <ProcessPanel now={now} />
        </div>
      </div>
    </>
  );
}

interface NowProps {
  readonly now: LiveSessionPart;
}

const Row = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }): JSX.Element => (
  <div class="pair-row">
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const Count = ({ count, isBad = false }: { readonly count: number; readonly isBad?: boolean }): JSX.Element => (
  <span class={`num${isBad && count > 0 ? ' warning-text' : ''}`}>{formatCount(count)}</span>
);

const FeedPanel = ({ now: { feed, marketCount } }: NowProps): JSX.Element => (
  <Panel title="Feed" aside={<Mark tone={feed.isUp ? 'well' : 'alarm'}>{feed.isUp ? 'up' : 'down'}</Mark>}>
    {feed.fault !== null && <p class="fault">No order may be placed: {feed.fault}</p>}
    {feed.privateFault !== null && <p class="fault">Private channels: {feed.privateFault}</p>}
    <dl class="pairs">
      <Row name="Last message">
        <span class="num">{formatAge(feed.ageMs)}</span>
      </Row>
      <Row name="Lag behind the exchange">
        <span class="num">{formatSpan(feed.lagMs)}</span>
      </Row>
      <Row name="Connections">
        <Count count={feed.connections} />
      </Row>
      <Row name="Gaps">
        <Count count={feed.gaps} />
      </Row>
      <Row name="Books requested again">
        <Count count={feed.resyncs} />
      </Row>
      <Row name="Books not live">
        <Count count={feed.untrustedBooks} isBad /> <span class="muted">of {formatCount(marketCount)}</span>
      </Row>
    </dl>
  </Panel>
);

const ClockPanel = ({ now: { clock } }: NowProps): JSX.Element => (
  <Panel title="Clock and loop">
    <dl class="pairs">
      <Row name="Our clock ahead of the exchange's">
        <span class="num">{clock.offsetMs === null ? 'not measured' : formatTenths(clock.offsetMs)}</span>
      </Row>
      <Row name="Bound of the measurement">
        <span class="num">± {formatTenths(clock.boundMs)}</span>
      </Row>
      <Row name="Event loop late">
        <span class="num">{formatTenths(clock.loopLateMs)}</span>
      </Row>
    </dl>
  </Panel>
);

function BudgetPanel({ now: { budgets } }: NowProps): JSX.Element {
  const { read, trade, cancelReserve, waiting, inFlight, rateRefusals } = budgets;
  return (
    <Panel title="Budgets">
      <ul class="limits">
        <BudgetRow name="Reads" budget={read} />
        <BudgetRow name="Trades" budget={trade} />
      </ul>
      <dl class="pairs">
        <Row name="Kept for cancels">
          <span class="num">{formatCount(Math.round(cancelReserve))}</span>
        </Row>
        <Row name="Commands in flight">
          <Count count={inFlight} />
        </Row>
        <Row name="Refused for their rate">
          <Count count={rateRefusals.trade} /> <span class="muted">trades,</span> <Count count={rateRefusals.read} />{' '}
          <span class="muted">reads</span>
        </Row>
      </dl>
      <h3>Waiting by lane</h3>
      {waiting.length === 0 ? (
        <Empty>Nothing waits.</Empty>
      ) : (
        <ul class="counts">
          {waiting.map(({ lane, count }) => (
            <li key={lane}>
              <span>{lane}</span>
              <span class="num">{formatCount(count)}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

type Budget = LiveSessionPart['budgets']['read'];

const BudgetRow = ({ name, budget: { available, capacity } }: { readonly name: string; readonly budget: Budget }) => (
  <li class="limit">
    <span class="limit-name">{name}</span>
    <span class="limit-use num">
      {formatCount(Math.floor(available))} <span class="muted">of {formatCount(Math.floor(capacity))} left</span>
    </span>
    <span class="limit-share num">{formatShare(available, capacity)}</span>
    <UseBar used={available} allowed={capacity} label={`${name} left`} isSupply />
  </li>
);

const DriftPanel = ({ now: { drift } }: NowProps): JSX.Element => (
  <Panel title="Our figures against the exchange's" aside={drift.isDrift ? <Mark tone="alarm">drift</Mark> : undefined}>
    <dl class="pairs">
      <Row name="Last compared">
        {drift.ageMs === null ? <span>not yet</span> : <span class="num">{formatAge(drift.ageMs)} ago</span>}
      </Row>
      <Row name="Difference in contracts">
        <Qty qty={drift.qty} isSigned />
      </Row>
      <Row name="Difference in cash">
        <Money micros={drift.cashMicros} isSigned isExact />
      </Row>
    </dl>
  </Panel>
);

function ProcessPanel({ now: { journalBytes, orders } }: NowProps): JSX.Element {
  const bot = hello.value;
  return (
    <Panel title="Session">
      <dl class="pairs">
        {bot && (
          <>
            <Row name="Session">{bot.session}</Row>
            <Row name="Started">
              <Moment us={bot.startedUs} />
            </Row>
            <Row name="Process">
              <span class="num">{bot.pid}</span>
            </Row>
            <Row name="Program">{bot.program}</Row>
            <Row name="Exchange profile">{bot.profile}</Row>
          </>
        )}
        <Row name="Journal">
          <span class="num">{formatBytes(journalBytes)}</span>
        </Row>
        <Row name="Orders">
          <span>
            <Count count={orders.working} /> working, <Count count={orders.waiting} /> waiting,{' '}
            <Count count={orders.inFlight} /> in flight, <Count count={orders.unknown} isBad /> unknown
          </span>
        </Row>
      </dl>
    </Panel>
  );
}
