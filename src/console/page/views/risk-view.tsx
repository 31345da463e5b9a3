// The risk of a bot: use of each limit, and worst case of each event group by outcome.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { LiveSessionPart } from '../../../runtime/follow/follow-messages.ts';
import { AwaitedFromBot, Empty, Fault, Figure, Panel, UseBar } from '../parts/blocks.tsx';
import { Moment, Money } from '../parts/figures.tsx';
import { LimitRows, limitsByUse } from '../parts/limit-rows.tsx';
import { formatCount, formatNamedLimit, formatShare } from '../format/figures.ts';
import { endOverride } from '../state/control-calls.ts';
import { session } from '../state/live-data.ts';
import { isOperator } from '../state/page-state.ts';

type Group = LiveSessionPart['groups'][number];

const GROUPS_SHOWN = 60;
/** The most outcomes that a group shows at once. A group with more is opened by a press. */
const OUTCOMES_OPEN = 8;

export function RiskView({ bot }: { readonly bot: string }): JSX.Element {
  const now = session.value?.value;
  if (!now) return <AwaitedFromBot rows={8} label="Loading the risk" />;
  const limits = [...now.limits, ...now.strategies.flatMap((strategy) => strategy.limits)];
  const groups = now.groups.toSorted((a, b) => b.worstMicros - a.worstMicros);
  return (
    <>
      <header class="view-head">
        <h1>Risk</h1>
      </header>
      <Exposure account={now.account} />
      <div class="columns">
        <div class="column">
          <Panel title="Limits, most used first">
            <LimitRows limits={limitsByUse(limits)} canOverride />
          </Panel>
        </div>
        <div class="column">
          <Overrides bot={bot} now={now} />
          <Panel title={`Worst case by event group (${formatCount(groups.length)})`}>
            {groups.length === 0 && <Empty>No position and no open order in any event group.</Empty>}
            {groups.slice(0, GROUPS_SHOWN).map((group) => (
              <GroupBlock key={group.group} group={group} />
            ))}
          </Panel>
        </div>
      </div>
    </>
  );
}

const Exposure = ({ account }: { readonly account: LiveSessionPart['account'] }): JSX.Element => (
  <dl class="figures headline">
    <Figure
      name="Worst case of all groups"
      note={
        account.exposureMaxMicros === null ? (
          'no limit'
        ) : (
          <>
            of <Money micros={account.exposureMaxMicros} />,{' '}
            {formatShare(account.exposureMicros, account.exposureMaxMicros)}
          </>
        )
      }
    >
      <Money micros={account.exposureMicros} />
    </Figure>
    <Figure name="Reserved for open orders">
      <Money micros={account.reservedMicros} />
    </Figure>
    <Figure name="Drawdown from the highest equity">
      <Money micros={account.drawdownMicros} />
    </Figure>
    <Figure name="Profit today (UTC)">
      <Money micros={account.dayMicros} isSigned />
    </Figure>
  </dl>
);

interface OverridesProps {
  readonly bot: string;
  readonly now: LiveSessionPart;
}

function Overrides({ bot, now: { overrides } }: OverridesProps): JSX.Element | null {
  const [fault, setFault] = useState<string | null>(null);
  if (overrides.length === 0) return null;
  return (
    <Panel title="Overrides in force">
      <ul class="lines">
        {overrides.map(({ limit, strategy, value, untilUs, reason }) => (
          <li key={`${limit} ${strategy}`}>
            <span>
              <strong>{limit}</strong>
              {strategy !== null && ` of ${strategy}`}: {formatNamedLimit(limit, value)}
            </span>
            <span class="muted">
              until <Moment us={untilUs} />: {reason}
            </span>
            {isOperator.value && (
              <button
                type="button"
                class="quiet"
                aria-label={`End the override of ${limit}`}
                onClick={() => void endOverride(bot, { limit, strategy }).then(setFault)}
              >
                End
              </button>
            )}
          </li>
        ))}
      </ul>
      {fault !== null && <Fault text={fault} />}
    </Panel>
  );
}

const GroupBlock = ({
  group: { group, worstMicros, allowedMicros, outcomes },
}: {
  readonly group: Group;
}): JSX.Element => (
  <details class="group" open={outcomes.length <= OUTCOMES_OPEN}>
    <summary>
      <span>
        <span class="group-name">{group}</span>
        <span class="muted group-outcomes"> {formatCount(outcomes.length)} outcomes</span>
      </span>
      <span class="num">
        <Money micros={worstMicros} />
        {allowedMicros !== null && (
          <span class="muted">
            {' '}
            of <Money micros={allowedMicros} />
          </span>
        )}
      </span>
      <UseBar used={worstMicros} allowed={allowedMicros} label={`Worst case of ${group}`} />
    </summary>
    <table class="table">
      <thead>
        <tr>
          <th>If this happens</th>
          <th class="right">Profit</th>
        </tr>
      </thead>
      <tbody>
        {outcomes
          .toSorted((a, b) => a.profitMicros - b.profitMicros)
          .map(({ outcome, profitMicros }) => (
            <tr key={outcome}>
              <td>{outcome}</td>
              <td class="right">
                <Money micros={profitMicros} isSigned />
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  </details>
);
