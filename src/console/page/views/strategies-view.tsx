// The strategies: profit, limits, remarks and denials.
import type { JSX } from 'preact';
import type { LiveSessionPart } from '../../../runtime/follow/follow-messages.ts';
import { AwaitedFromBot, Empty, Figure, Mark, Panel } from '../parts/blocks.tsx';
import { Money, Qty } from '../parts/figures.tsx';
import { whyAddress } from '../parts/keyboard.ts';
import { LimitRows, limitsByUse } from '../parts/limit-rows.tsx';
import { RemarkText } from '../parts/remarks.tsx';
import { formatCount } from '../format/figures.ts';
import { formatAddress } from '../state/address.ts';
import { openDialog, pressHalt } from '../state/dialog-state.ts';
import { session } from '../state/live-data.ts';
import { isOperator } from '../state/page-state.ts';

type Strategy = LiveSessionPart['strategies'][number];

export function StrategiesView({ bot }: { readonly bot: string }): JSX.Element {
  const now = session.value?.value;
  if (!now) return <AwaitedFromBot rows={8} label="Loading the strategies" />;
  return (
    <>
      <header class="view-head">
        <h1>Strategies</h1>
        <span class="muted num">{formatCount(now.strategies.length)}</span>
      </header>
      {now.strategies.length === 0 && <Empty>No strategy runs. Name one under strategies: in the config.</Empty>}
      {now.strategies.map((strategy) => (
        <StrategyPanel key={strategy.name} bot={bot} strategy={strategy} />
      ))}
    </>
  );
}

interface StrategyProps {
  readonly bot: string;
  readonly strategy: Strategy;
}

function StrategyPanel({ bot, strategy }: StrategyProps): JSX.Element {
  const { name, haltedBy, params, limits, denials, remarks } = strategy;
  return (
    <Panel title={name} aside={<StrategyControls bot={bot} strategy={strategy} />}>
      {haltedBy !== null && (
        <p class="halt-line">
          <strong>Halted:</strong> {haltedBy}
        </p>
      )}
      <StrategyFigures strategy={strategy} />
      <div class="columns">
        <div class="column">
          <h3>Limits</h3>
          {limits.length === 0 ? (
            <Empty>
              {name} has no limits of its own. <a href={formatAddress({ bot, view: 'risk' })}>Risk</a> shows those of
              the account, which bind it, too.
            </Empty>
          ) : (
            <LimitRows limits={limitsByUse(limits)} canOverride />
          )}
          <h3>Denials</h3>
          <Denials denials={denials} />
        </div>
        <div class="column">
          <h3>Last reasons and denials</h3>
          {remarks.length === 0 && <Empty>Nothing was denied, and no reason was stated.</Empty>}
          <ul class="lines remarks">
            {remarks.toReversed().map((remark) => (
              <li key={`${remark.atUs} ${remark.code} ${remark.ticker}`}>
                <RemarkText remark={remark} />
                {remark.ticker !== null && (
                  <a href={whyAddress(bot, { market: remark.ticker, strategy: name })}>{remark.ticker}</a>
                )}
              </li>
            ))}
          </ul>
        </div>
      </div>
      <details class="params">
        <summary>Parameters</summary>
        <pre>{readableJson(params)}</pre>
      </details>
    </Panel>
  );
}

function readableJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function StrategyControls({ bot, strategy: { name, haltedBy } }: StrategyProps): JSX.Element | null {
  const scope = `strategy ${name}`;
  if (!isOperator.value) return haltedBy === null ? null : <Mark tone="alarm">halted</Mark>;
  return haltedBy === null ? (
    <button type="button" class="halt-small" aria-label={`Halt ${name}`} onClick={() => pressHalt([bot], scope)}>
      Halt
    </button>
  ) : (
    <button
      type="button"
      aria-label={`Resume ${name}`}
      onClick={() => (openDialog.value = { kind: 'resume', bot, scope })}
    >
      Resume…
    </button>
  );
}

const StrategyFigures = ({ strategy }: { readonly strategy: Strategy }): JSX.Element => (
  <dl class="figures">
    <Figure name="Realized" note="all sessions">
      <Money micros={strategy.realizedMicros} isSigned />
    </Figure>
    <Figure name="Unrealized">
      <Money micros={strategy.unrealizedMicros} isSigned />
    </Figure>
    <Figure name="Fees" note="all sessions">
      <Money micros={strategy.feesMicros} />
    </Figure>
    <Figure name="Orders" note="this session">
      <span class="num">{formatCount(strategy.orders)}</span>
    </Figure>
    <Figure name="Fills" note="this session">
      <span class="num">{formatCount(strategy.fills)}</span>
    </Figure>
    <Figure name="Contracts">
      <Qty qty={strategy.filledQty} />
    </Figure>
    <Figure name="Canceled">
      <span class="num">{formatCount(strategy.canceled)}</span>
    </Figure>
    <Figure name="Rejected">
      <span class={`num${strategy.rejected > 0 ? ' loss' : ''}`}>{formatCount(strategy.rejected)}</span>
    </Figure>
    <Figure name="Unknown">
      <span class={`num${strategy.unknown > 0 ? ' loss' : ''}`}>{formatCount(strategy.unknown)}</span>
    </Figure>
  </dl>
);

function Denials({ denials }: { readonly denials: Strategy['denials'] }): JSX.Element {
  if (denials.length === 0) return <Empty>None.</Empty>;
  return (
    <ul class="counts">
      {denials
        .toSorted((a, b) => b.count - a.count)
        .map(({ code, count }) => (
          <li key={code}>
            <span>{code}</span>
            <span class="num">{formatCount(count)}</span>
          </li>
        ))}
    </ul>
  );
}
