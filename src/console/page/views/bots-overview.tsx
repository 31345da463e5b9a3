// The overview of all bots. Bots that need a person come first.
import type { JSX } from 'preact';
import type { BotRow } from '../../api/api-schemas.ts';
import { strikeText } from '../format/strike-text.ts';
import { Empty, Loading, Mark, UseBar } from '../parts/blocks.tsx';
import { Age, Money, Moment } from '../parts/figures.tsx';
import { SparkLine } from '../parts/spark-line.tsx';
import { phaseTone } from '../parts/top-bar.tsx';
import { formatShare } from '../format/figures.ts';
import { formatAge } from '../format/times.ts';
import { formatAddress } from '../state/address.ts';
import { openDialog, pressHalt } from '../state/dialog-state.ts';
import { bots } from '../state/live-data.ts';
import { isOperator } from '../state/page-state.ts';

export function BotsOverview(): JSX.Element {
  const rows = bots.value;
  if (rows === null) return <Loading rows={6} label="Loading the bots" />;
  if (rows.length === 0)
    return (
      <Empty>
        No bots. Start the console with the config or the data folder of each: presage console --config FILE
      </Empty>
    );
  return (
    <>
      <h1>All bots</h1>
      <div class="bot-cards">
        {rows
          .toSorted((a, b) => urgencyOf(b) - urgencyOf(a) || (a.bot < b.bot ? -1 : 1))
          .map((row, place) => (
            <BotCard key={row.bot} row={row} place={place} />
          ))}
      </div>
    </>
  );
}

const isWell = ({ process }: BotRow): boolean => process.state === 'running';

const isOrderly = ({ ended }: BotRow['process']): boolean => ended?.isOrderly === true;

/** The urgency of a bot: halted, then not running although it was not stopped, then with alarms, then the rest. */
function urgencyOf(row: BotRow): number {
  if (row.halts.length > 0) return 3;
  if (!isWell(row) && !isOrderly(row.process)) return 2;
  return row.alarms.length > 0 || row.isExchangePaused || row.remarks.length > 0 ? 1 : 0;
}

function BotCard({ row, place }: { readonly row: BotRow; readonly place: number }): JSX.Element {
  const { bot, process } = row;
  const isOld = !isWell(row);
  return (
    <article class={`panel bot-card${isOld ? ' old' : ''}`} data-row={place} tabIndex={-1} aria-label={bot}>
      <header class="bot-head">
        <h2>
          <a href={formatAddress({ bot })}>{bot}</a>
        </h2>
        <StateMark row={row} />
        {row.isPaper && <Mark tone="calm">paper</Mark>}
        <span class="spacer" />
        {isOperator.value && process.state !== 'never ran' && <CardControl row={row} />}
      </header>
      {row.halts.map((halt) => (
        <p key={halt.scope} class="halt-line">
          <strong>{halt.scope === 'account' ? 'Halted' : `${halt.scope} halted`}</strong> by {halt.by}{' '}
          <Moment us={halt.sinceUs} />: {halt.reason}
        </p>
      ))}
      {row.isExchangePaused && (
        <p class="alarm-line">
          <Mark tone="warning">paused</Mark> The exchange has paused trading.
        </p>
      )}
      {row.remarks.map((remark) => (
        <p key={remark} class="alarm-line">
          <Mark tone="warning">remark</Mark> {remark}
        </p>
      ))}
      {isOld && <ProcessLine row={row} />}
      <CardMoney row={row} />
      <CardFacts row={row} />
      {row.alarms.map(({ code, count, lastUs, text }) => (
        <p key={code} class="alarm-line">
          <Mark tone="warning">{code}</Mark> {text}{' '}
          <span class="muted">
            {count > 1 && `×${count}, `}
            last <Moment us={lastUs} />
          </span>
        </p>
      ))}
    </article>
  );
}

const processTone = (process: BotRow['process']): string => {
  if (process.state === 'no answer') return 'warning';
  return isOrderly(process) ? 'calm' : 'alarm';
};

function StateMark({ row }: { readonly row: BotRow }): JSX.Element {
  if (row.process.state !== 'running') return <Mark tone={processTone(row.process)}>{row.process.state}</Mark>;
  if (row.halts.some(({ scope }) => scope === 'account')) return <Mark tone="alarm">halted</Mark>;
  const phase = row.phase ?? 'starting';
  return <Mark tone={phaseTone(phase)}>{phase}</Mark>;
}

function CardControl({ row }: { readonly row: BotRow }): JSX.Element {
  const { bot } = row;
  const isHalted = row.halts.some(({ scope }) => scope === 'account');
  return isHalted ? (
    <button type="button" onClick={() => (openDialog.value = { kind: 'resume', bot, scope: 'account' })}>
      Resume…
    </button>
  ) : (
    <button type="button" class="halt-small" onClick={() => pressHalt([bot])} aria-label={`Halt ${bot}`}>
      Halt
    </button>
  );
}

function LastSign({ process: { ended, lastSeenUs } }: Pick<BotRow, 'process'>): JSX.Element {
  if (ended !== null)
    return (
      <>
        Stopped {ended.text}, <Moment us={ended.atUs} />
      </>
    );
  if (lastSeenUs === null) return <>No sign of life yet.</>;
  return (
    <>
      Last sign of life <Moment us={lastSeenUs} />
    </>
  );
}

function WatchdogMark({ process }: Pick<BotRow, 'process'>): JSX.Element | null {
  const { strike, watchdog } = process;
  if (strike !== null)
    return (
      <>
        {' '}
        · by <Moment us={strike.atUs} /> {strikeText(strike)}
      </>
    );
  return watchdog === 'absent' && !isOrderly(process) ? <> · no watchdog</> : null;
}

const ProcessLine = ({ row: { process, asOfUs } }: { readonly row: BotRow }): JSX.Element => (
  <p class="muted">
    <LastSign process={process} />
    <WatchdogMark process={process} />
    {asOfUs !== null && (
      <>
        {' '}
        · figures as of <Moment us={asOfUs} />
      </>
    )}
  </p>
);

const CardMoney = ({ row }: { readonly row: BotRow }): JSX.Element => (
  <div class="card-money">
    <dl class="figures">
      <div class="figure big">
        <dt title="Since midnight UTC">Day</dt>
        <dd>
          <Money micros={row.dayMicros} isSigned />
        </dd>
      </div>
      <div class="figure big">
        <dt>Equity</dt>
        <dd>
          <Money micros={row.equityMicros} />
        </dd>
      </div>
    </dl>
    <SparkLine points={row.equity} label={`Equity of ${row.bot}`} />
  </div>
);

function CardFacts({ row }: { readonly row: BotRow }): JSX.Element {
  const { exposureMicros, exposureMaxMicros, feed, budgets, workingOrders, lastFillUs } = row;
  return (
    <dl class="facts">
      <div>
        <dt>At risk</dt>
        <dd>
          <Money micros={exposureMicros} />
          {exposureMicros !== null && exposureMaxMicros !== null && (
            <>
              <span class="muted">
                {' '}
                of <Money micros={exposureMaxMicros} />
              </span>
              <UseBar used={exposureMicros} allowed={exposureMaxMicros} label="Exposure of its limit" />
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>Feed</dt>
        <dd class={feed && !feed.isUp ? 'loss' : ''}>
          <span class="num">{feed === null ? '–' : feed.isUp ? formatAge(feed.ageMs) : 'down'}</span>
        </dd>
      </div>
      <div>
        <dt title="The part of the budget for orders and cancels that is left">Trade budget</dt>
        <dd>
          <span class="num">
            {budgets === null ? '–' : formatShare(budgets.trade.available, budgets.trade.capacity)}
          </span>
        </dd>
      </div>
      <div>
        <dt>Orders</dt>
        <dd>
          <span class="num">{workingOrders ?? '–'}</span>
        </dd>
      </div>
      <div>
        <dt>Last fill</dt>
        <dd>
          <Age us={lastFillUs} />
        </dd>
      </div>
    </dl>
  );
}
