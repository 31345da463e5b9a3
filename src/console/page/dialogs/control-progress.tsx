// The progress of a control: each state with its time. Must never show a state that the console has not named.
import type { JSX } from 'preact';
import { formatCount } from '../format/figures.ts';
import { terminalLine } from '../format/terminal-line.ts';
import { formatPreciseClock } from '../format/times.ts';
import type { Action } from '../state/control-types.ts';
import { type SentControl, sentControls } from '../state/control-calls.ts';
import { bots, isPaper } from '../state/live-data.ts';
import { address } from '../state/page-state.ts';
import { zone } from '../state/preferences.ts';

const STEPS = ['latched', 'heard', 'canceling', 'confirmed'] as const;
type Step = (typeof STEPS)[number];

const HALT_TEXT: Readonly<Record<Step, string>> = {
  latched: 'Written to disk: no order leaves from here on',
  heard: 'The bot or its watchdog answered',
  canceling: 'Orders are canceled',
  confirmed: "The exchange's own list shows no order left",
};
const PAPER_HALT_TEXT: typeof HALT_TEXT = { ...HALT_TEXT, confirmed: 'The simulated venue shows no order left' };
const OTHER_TEXT: Readonly<Record<Step, string>> = {
  latched: 'Accepted and written down',
  heard: 'The bot answered',
  canceling: 'Orders are canceled',
  confirmed: 'Confirmed',
};

const DELIVERY_TEXT: Readonly<Record<SentControl['delivery'], string>> = {
  known: '',
  repeating: 'It is not known whether the console received it; it is sent again. ',
  unknown: 'It is not known whether the console received it, and it is not sent again. ',
};

const isPaperBot = (bot: string): boolean =>
  address.value.bot === bot ? isPaper.value : bots.value?.some((row) => row.bot === bot && row.isPaper) === true;

export function ControlProgress({ actionId }: { readonly actionId: string }): JSX.Element | null {
  const sent = sentControls.value.find((each) => each.actionId === actionId);
  if (!sent) return null;
  const { action, fault } = sent;
  const line = terminalLine(sent, isPaperBot(sent.bot));
  return (
    <div class="progress" role="status" aria-live="polite" data-action-state={action?.state ?? 'sent'}>
      <h3>
        {sent.kind} {sent.bot} <span class="muted">{sent.scope}</span>
      </h3>
      {action && <Steps action={action} texts={textsOf(sent)} />}
      {!action && fault === null && <p class="muted">Sent. The console has not answered yet.</p>}
      {action && <p class={action.state === 'failed' ? 'fault' : 'muted'}>{action.text}</p>}
      {fault !== null && (
        <p class="fault">
          {fault.endsWith('.') ? fault : `${fault}.`} {DELIVERY_TEXT[sent.delivery]}In a terminal: <code>{line}</code>
        </p>
      )}
      {action?.state === 'failed' && <LeftOrders action={action} line={line} />}
    </div>
  );
}

function textsOf({ bot, kind }: SentControl): typeof HALT_TEXT {
  if (kind !== 'halt' && kind !== 'cancel-all') return OTHER_TEXT;
  return isPaperBot(bot) ? PAPER_HALT_TEXT : HALT_TEXT;
}

interface StepsProps {
  readonly action: Action;
  readonly texts: typeof HALT_TEXT;
}

function Steps({ action, texts }: StepsProps): JSX.Element {
  const reached = STEPS.filter((step) => action.at[step] !== undefined);
  return (
    <ol class="steps">
      {STEPS.filter((step) => reached.includes(step) || isAhead(action, step)).map((step) => {
        const isReached = reached.includes(step);
        return (
          <li key={step} class={isReached ? 'reached' : ''}>
            <span aria-hidden="true">{isReached ? '✓' : '·'}</span>
            <span>
              {texts[step]}
              {step === 'canceling' && isReached && `: ${formatCount(action.canceled)}`}
              {!isReached && <span class="sr-only"> (not reached)</span>}
            </span>
            <span class="num muted">{isReached ? formatPreciseClock(action.at[step], zone.value) : ''}</span>
          </li>
        );
      })}
    </ol>
  );
}

const isAhead = ({ state }: Action, step: Step): boolean =>
  state !== 'confirmed' && state !== 'failed' && step !== 'latched';

const LeftOrders = ({ action, line }: { readonly action: Action; readonly line: string }): JSX.Element => (
  <div class="left-orders">
    {action.left.length > 0 && (
      <>
        <p>These orders may still rest at the exchange:</p>
        <ul>
          {action.left.map(({ clientOrderId, venueOrderId, ticker }) => (
            <li key={venueOrderId ?? clientOrderId ?? ticker}>
              {ticker} <code>{clientOrderId ?? venueOrderId ?? 'unnamed'}</code>
            </li>
          ))}
        </ul>
      </>
    )}
    <p>
      Try again, or in a terminal: <code>{line}</code>
    </p>
  </div>
);
