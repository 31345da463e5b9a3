// One market: book, chart, prints, position, strategies, fees and times.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { MarketRow } from '../../api/api-schemas.ts';
import type { MarketDetail } from '../../../runtime/follow/follow-messages.ts';
import { ChartPanel } from '../market/chart-panel.tsx';
import { Ladder } from '../market/ladder.tsx';
import { OrderRows } from '../parts/order-rows.tsx';
import { AwaitedFromBot, Empty, Figure, Mark, Panel } from '../parts/blocks.tsx';
import { Moment, Money, Price, Qty, Side } from '../parts/figures.tsx';
import { whyAddress } from '../parts/keyboard.ts';
import { RemarkText } from '../parts/remarks.tsx';
import { bookState } from '../format/book-state.ts';
import { formatUntil } from '../format/times.ts';
import { formatAddress } from '../state/address.ts';
import { readMarkets } from '../state/api-calls.ts';
import { openDialog, pressHalt } from '../state/dialog-state.ts';
import { detail, isGone, session } from '../state/live-data.ts';
import { address, isOperator, nowUs } from '../state/page-state.ts';

export function MarketView({ bot }: { readonly bot: string }): JSX.Element {
  const ticker = address.value.subject;
  const found = useFacts(bot, ticker);
  if (ticker === null) return <Empty>No market is named. Choose one in the table of markets.</Empty>;
  const market = detail.value?.value;
  const shown = market?.ticker === ticker ? market : null;
  if (found === 'unknown' && shown === null && session.value !== null && !isGone.value)
    return (
      <Empty>
        {bot} follows no market {ticker} now. The <a href={formatAddress({ bot, view: 'markets' })}>table of markets</a>{' '}
        has those that it follows.
      </Empty>
    );
  const facts = found === 'unknown' ? null : found;
  return (
    <>
      <MarketHead bot={bot} ticker={ticker} market={shown} facts={facts} />
      <div class="market-columns">
        <div class="column ladder-column">
          <Panel title="Ladder">{shown ? <Ladder market={shown} /> : <AwaitedFromBot rows={12} />}</Panel>
        </div>
        <div class="column">
          <ChartPanel key={ticker} bot={bot} ticker={ticker} />
          {shown && <PositionPanel market={shown} />}
        </div>
        <div class="column side-column">
          <Panel title="Strategies">{shown ? <StrategyLines bot={bot} market={shown} /> : <AwaitedFromBot />}</Panel>
          <Panel title="Prints">{shown ? <Prints market={shown} /> : <AwaitedFromBot />}</Panel>
        </div>
      </div>
      <Panel title="Our orders">
        {shown ? (
          <OrderRows bot={bot} orders={shown.orders} empty="No orders in this market. Strategies above say why." />
        ) : (
          <AwaitedFromBot />
        )}
      </Panel>
      {shown && <LifePanel market={shown} facts={facts} />}
    </>
  );
}

/** Reads facts that the live details do not have: title, group, closing time. `unknown`: the bot has no such market. */
function useFacts(bot: string, ticker: string | null): MarketRow | 'unknown' | null {
  const [facts, setFacts] = useState<MarketRow | 'unknown' | null>(null);
  useEffect(() => {
    let isShown = true;
    setFacts(null);
    if (ticker === null) return undefined;
    readMarkets(bot, { sort: 'ticker', q: ticker, ours: false, from: 0, to: 20 }).then(
      // Without a time of figures, the bot has not sent its markets yet.
      ({ rows, asOfUs }) =>
        isShown && setFacts(rows.find((row) => row.ticker === ticker) ?? (asOfUs === null ? null : 'unknown')),
      () => null,
    );
    return () => {
      isShown = false;
    };
  }, [bot, ticker]);
  return facts;
}

interface HeadProps {
  readonly bot: string;
  readonly ticker: string;
  readonly market: MarketDetail | null;
  readonly facts: MarketRow | null;
}

function MarketHead({ bot, ticker, market, facts }: HeadProps): JSX.Element {
  const scope = `market ${ticker}`;
  return (
    <header class="view-head market-head">
      <div>
        <h1>{ticker}</h1>
        <p class="muted">{facts?.title ?? ' '}</p>
      </div>
      <div class="marks">
        {market && (
          <Mark tone={market.status === 'active' ? 'well' : 'calm'}>
            {market.status === 'active' ? 'open' : market.status}
          </Mark>
        )}
        {market && !bookState(market).isOver && (
          <Mark tone={market.trust === 'live' ? 'well' : 'stale'}>book {market.trust}</Mark>
        )}
        {facts && facts.closesAtUs !== null && facts.closesAtUs > nowUs.value && (
          <span class="muted">
            closes in <span class="num">{formatUntil(facts.closesAtUs, nowUs.value)}</span>
          </span>
        )}
      </div>
      <span class="spacer" />
      <a class="button" href={whyAddress(bot, { market: ticker })}>
        Why?
      </a>
      {isOperator.value && (
        <>
          <button type="button" onClick={() => (openDialog.value = { kind: 'cancel-all', bot, scope })}>
            Cancel all…
          </button>
          <button type="button" class="halt-small" onClick={() => pressHalt([bot], scope)}>
            Halt market
          </button>
        </>
      )}
    </header>
  );
}

const PositionPanel = ({ market: { position } }: { readonly market: MarketDetail }): JSX.Element => (
  <Panel title="Position">
    <dl class="figures">
      <Figure name="Contracts">
        <Qty qty={position.qty} isSigned />
      </Figure>
      <Figure name="Cost">
        <Money micros={position.costMicros} />
      </Figure>
      <Figure name="Value">
        <Money micros={position.valueMicros} />
      </Figure>
      <Figure name="Realized">
        <Money micros={position.realizedMicros} isSigned />
      </Figure>
      <Figure name="Fees">
        <Money micros={position.feesMicros} />
      </Figure>
    </dl>
  </Panel>
);

function StrategyLines({ bot, market }: { readonly bot: string; readonly market: MarketDetail }): JSX.Element {
  if (market.strategies.length === 0) return <Empty>No strategy runs.</Empty>;
  return (
    <ul class="lines">
      {market.strategies.map(({ name, isSelected, why, remark }) => (
        <li key={name} class="strategy-line">
          <span>
            <strong>{name}</strong> {!isSelected && <Mark tone="calm">not selected</Mark>}
          </span>
          <a href={whyAddress(bot, { market: market.ticker, strategy: name })}>why</a>
          {why !== null && <span class="muted">{why}</span>}
          {remark && <RemarkText remark={remark} />}
        </li>
      ))}
    </ul>
  );
}

function Prints({ market: { prints } }: { readonly market: MarketDetail }): JSX.Element {
  if (prints.length === 0) return <Empty>No print since the bot follows this market.</Empty>;
  return (
    <ul class="prints" tabIndex={0} aria-label="Prints, newest first">
      {prints.toReversed().map(({ atUs, side, price, qty }, at) => (
        <li key={`${atUs} ${prints.length - at}`}>
          <Moment us={atUs} />
          <Side side={side} />
          <Price price={price} side={side === 'buy' ? 'bid' : 'ask'} />
          <Qty qty={qty} />
        </li>
      ))}
    </ul>
  );
}

function BookText({ market }: { readonly market: MarketDetail }): JSX.Element {
  const { text, isOver } = bookState(market);
  if (isOver) return <>{text}</>;
  return (
    <>
      {text}
      {market.trustReason !== null && `: ${market.trustReason}`}{' '}
      {market.trustSinceUs !== null && (
        <span class="muted">
          since <Moment us={market.trustSinceUs} />
        </span>
      )}
    </>
  );
}

const LifePanel = ({
  market,
  facts,
}: {
  readonly market: MarketDetail;
  readonly facts: MarketRow | null;
}): JSX.Element => (
  <Panel title="Life and fees">
    <dl class="facts wide">
      <div>
        <dt>Status</dt>
        <dd>{market.status}</dd>
      </div>
      <div>
        <dt>Result</dt>
        <dd>{market.result ?? 'not known yet'}</dd>
      </div>
      <div>
        <dt>Closes</dt>
        <dd>
          <Moment us={facts?.closesAtUs} />
        </dd>
      </div>
      <div>
        <dt>Group</dt>
        <dd>{facts?.group ?? '–'}</dd>
      </div>
      <div>
        <dt>Fees</dt>
        <dd>{market.fee}</dd>
      </div>
      <div>
        <dt>Book</dt>
        <dd>
          <BookText market={market} />
        </dd>
      </div>
    </dl>
  </Panel>
);
