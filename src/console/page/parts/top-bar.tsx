// The bar above every view: bot, phase, money, feed, connection and halt.
import type { JSX } from 'preact';
import type { BotRow } from '../../api/api-schemas.ts';
import { formatAge, formatClock } from '../format/times.ts';
import { haltTargets, pressHalt } from '../state/dialog-state.ts';
import { goneProcess, isPaper, session } from '../state/live-data.ts';
import { address, beats, botNames, freshness, isOperator, nowUs, openAddress, refusal } from '../state/page-state.ts';
import { switchZone, zone } from '../state/preferences.ts';
import { Mark } from './blocks.tsx';
import { Money } from './figures.tsx';

export const phaseTone = (phase: string): string =>
  phase === 'trading' ? 'well' : phase === 'halted' || phase === 'failed' ? 'alarm' : 'warning';

export const TopBar = (): JSX.Element => (
  <header class="top-bar">
    <a class="brand" href="#/">
      presage
    </a>
    <BotChooser />
    <PhaseMark />
    <BarFigures />
    <span class="spacer" />
    <button type="button" class="clock quiet" onClick={switchZone} title="Switch between your zone and UTC">
      <span class="num">{formatClock(nowUs.value, zone.value)}</span>
      <small>{zone.value === 'utc' ? 'UTC' : 'local'}</small>
    </button>
    <ConnectionLight />
    <HaltButton />
  </header>
);

function BotChooser(): JSX.Element {
  const { bot, view } = address.value;
  const names = botNames.value;
  const shown = bot !== null && !names.includes(bot) ? [...names, bot] : names;
  return (
    <select
      class="bot-chooser"
      aria-label="Bot"
      value={bot ?? ''}
      onChange={({ currentTarget: { value } }) =>
        openAddress(value === '' ? {} : { bot: value, view: view === 'market' ? 'markets' : view })
      }
    >
      {names.length !== 1 && <option value="">All bots</option>}
      {shown.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

function PhaseMark(): JSX.Element | null {
  if (address.value.bot === null) return null;
  const now = session.value?.value;
  if (goneProcess.value === null && !now) return null;
  const isHalted = now?.halts.some(({ scope }) => scope === 'account') === true;
  return (
    <>
      {goneProcess.value !== null && <GoneMark process={goneProcess.value} />}
      {goneProcess.value === null && now && (
        <Mark tone={isHalted ? 'alarm' : phaseTone(now.phase)}>{isHalted ? 'halted' : now.phase}</Mark>
      )}
      {isPaper.value && <Mark tone="calm">paper</Mark>}
    </>
  );
}

const GoneMark = ({ process }: { readonly process: BotRow['process'] }): JSX.Element =>
  process.ended === null ? (
    <Mark tone="alarm">no answer</Mark>
  ) : (
    <Mark tone={process.ended.isOrderly ? 'calm' : 'alarm'}>stopped</Mark>
  );

function BarFigures(): JSX.Element | null {
  const now = address.value.bot === null ? null : session.value?.value;
  if (!now) return null;
  const account = now.account.isOpen ? now.account : null;
  return (
    <dl class="bar-figures">
      <div>
        <dt>Equity</dt>
        <dd>
          <Money micros={account?.equityMicros} />
        </dd>
      </div>
      <div>
        <dt title="Since midnight UTC">Day</dt>
        <dd>
          <Money micros={account?.dayMicros} isSigned />
        </dd>
      </div>
      <div>
        <dt>Feed</dt>
        <dd class={now.feed.isUp ? '' : 'loss'}>
          <span class="num">{now.feed.isUp ? formatAge(now.feed.ageMs) : 'down'}</span>
        </dd>
      </div>
    </dl>
  );
}

const LIGHT_TEXT = { connecting: 'connecting', live: 'live', stale: 'stale', disconnected: 'not connected' } as const;

/** The light blinks at each heartbeat. The new key makes a new element, and the animation plays again. */
function ConnectionLight(): JSX.Element {
  const state = freshness.value;
  return (
    <span class={`light ${state}`} data-state={state}>
      <span key={beats.value} class="dot" aria-hidden="true" />
      <span class="light-text">
        {state === 'disconnected' && refusal.value !== null ? 'refused' : LIGHT_TEXT[state]}
      </span>
    </span>
  );
}

function HaltButton(): JSX.Element | null {
  const { bot } = address.value;
  const targets = haltTargets(bot);
  if (!isOperator.value || targets.length === 0) return null;
  const label = targets.length === 1 ? `Halt ${targets[0] ?? ''}` : `Halt all ${targets.length} bots`;
  return (
    <button type="button" class="halt" onClick={() => pressHalt(targets)} aria-label={label} title={label}>
      HALT{targets.length > 1 ? ' ALL' : ''}
    </button>
  );
}
