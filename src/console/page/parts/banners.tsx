// Banners above a view: connection, silent bot, halts, results of controls. Only alarms and results of controls are
// live regions.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { BotRow } from '../../api/api-schemas.ts';
import { botPath, callApi } from '../state/api-calls.ts';
import { openDialog } from '../state/dialog-state.ts';
import { goneProcess, isGone, isPaper, notice, session } from '../state/live-data.ts';
import { address, freshness, isOperator, lastSignUs, refusal } from '../state/page-state.ts';
import { strikeText } from '../format/strike-text.ts';
import { Money, Moment } from './figures.tsx';

type Process = BotRow['process'];

/** Time between two reads of a silent bot's files. Milliseconds. */
const SAVED_READ_MS = 5000;

export const Banners = (): JSX.Element => (
  <div class="banners">
    <ConnectionBanner />
    {goneProcess.value !== null && address.value.bot !== null && (
      <GoneBanner bot={address.value.bot} process={goneProcess.value} />
    )}
    <HaltBanners />
    {session.value?.value.isExchangeTrading === false && !isGone.value && (
      <p class="banner warning" role="status">
        The exchange has paused trading: no order is sent until it trades again.
      </p>
    )}
    {!isGone.value &&
      session.value?.value.remarks?.map((remark) => (
        <p key={remark} class="banner warning" role="status">
          Remark: {remark}
        </p>
      ))}
    {notice.value !== null && <p class="banner warning">{notice.value}</p>}
  </div>
);

function ConnectionBanner(): JSX.Element | null {
  if (freshness.value !== 'disconnected') return null;
  const why = refusal.value;
  return (
    <p class="banner alarm" role="status">
      <strong>
        {why === null ? 'Not connected to the console' : 'The console answers, but gives this page no live figures'}
        {lastSignUs.value !== null && (
          <>
            {' '}
            since <Moment us={lastSignUs.value} />
          </>
        )}
        {why !== null && `: ${why}`}.
      </strong>{' '}
      Trading goes on or not regardless of this page. Every figure is as of that time. HALT still tries to reach the
      console; in a terminal: <code>presage halt --config FILE{isPaper.value ? ' --paper' : ''}</code>
    </p>
  );
}

const PROCESS_TEXT: Readonly<Record<Process['state'], string>> = {
  running: 'Its process runs, but it does not answer the console.',
  'no answer': 'Its process starts or runs, and has not answered this console yet.',
  hangs: 'Its process hangs.',
  stopped: '',
  dead: 'Its process is dead.',
  'never ran': 'It has never run.',
};

const WATCHDOG_TEXT = {
  running: 'The watchdog runs.',
  absent: 'There is no watchdog.',
  'not needed': '',
} as const;

function WatchdogText({ process: { strike, watchdog } }: { readonly process: Process }): JSX.Element {
  if (strike === null) return <>{WATCHDOG_TEXT[watchdog]}</>;
  return (
    <>
      By <Moment us={strike.atUs} /> {strikeText(strike)}.
    </>
  );
}

function GoneBanner({ bot, process }: { readonly bot: string; readonly process: Process }): JSX.Element {
  const [row, setRow] = useState<BotRow | null>(null);
  useEffect(() => {
    const read = (): void => void callApi<BotRow>(botPath(bot)).then(setRow, () => null);
    read();
    const timer = window.setInterval(read, SAVED_READ_MS);
    return () => window.clearInterval(timer);
  }, [bot]);
  return (
    <div class={`banner ${process.ended?.isOrderly === true ? 'calm' : 'alarm'}`} role="status">
      <GoneText bot={bot} process={process} /> {row !== null && <SavedText row={row} />}
    </div>
  );
}

function GoneText({ bot, process }: { readonly bot: string; readonly process: Process }): JSX.Element {
  const { ended, state, lastSeenUs } = process;
  if (ended !== null)
    return (
      <>
        <strong>
          {bot} stopped {ended.text}
        </strong>
        , <Moment us={ended.atUs} />.
      </>
    );
  return (
    <>
      <strong>{bot} does not answer.</strong> {PROCESS_TEXT[state]} <WatchdogText process={process} />
      {lastSeenUs !== null && (
        <>
          {' '}
          Last sign of life <Moment us={lastSeenUs} />.
        </>
      )}
    </>
  );
}

const SavedText = ({ row }: { readonly row: BotRow }): JSX.Element => (
  <>
    {row.equityMicros !== null && (
      <>
        Saved figures: equity <Money micros={row.equityMicros} />, day <Money micros={row.dayMicros} isSigned />
        {row.asOfUs !== null && (
          <>
            , as of <Moment us={row.asOfUs} />
          </>
        )}
        .
      </>
    )}
    {row.halts.map((halt) => (
      <div key={halt.scope}>
        Halted: {halt.scope}, by {halt.by} at <Moment us={halt.sinceUs} />: {halt.reason}
      </div>
    ))}
  </>
);

function HaltBanners(): JSX.Element | null {
  const { bot } = address.value;
  const halts = session.value?.value.halts ?? [];
  if (bot === null || halts.length === 0 || isGone.value) return null;
  return (
    <div role="status" aria-live="polite">
      {halts.map(({ scope, by, reason, sinceUs }) => (
        <div key={`${scope} ${by}`} class="banner alarm row">
          <span>
            <strong>{scope === 'account' ? `${bot} is halted` : `${scope} is halted`}</strong> by {by} since{' '}
            <Moment us={sinceUs} />: {reason}
          </span>
          {isOperator.value && (
            <button type="button" onClick={() => (openDialog.value = { kind: 'resume', bot, scope })}>
              Resume…
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
