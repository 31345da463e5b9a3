// The dialogs of halt, resume and cancel all. The reason of a halt is asked for afterwards. A resume asks the person to
// type the scope.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { giveReason, sendControl, wasRefused } from '../state/control-calls.ts';
import { closeDialog, pressHalt } from '../state/dialog-state.ts';
import { ControlProgress } from './control-progress.tsx';
import { DialogFrame } from './dialog-frame.tsx';
import { Fault } from '../parts/blocks.tsx';
import { fieldOf } from '../parts/form-fields.ts';

interface HaltProps {
  readonly bots: readonly string[];
  readonly scope: string;
  readonly sent: readonly string[];
}

export function HaltDialog({ bots, scope, sent }: HaltProps): JSX.Element {
  const names = bots.join(', ');
  if (sent.length === 0)
    return (
      <DialogFrame title={`Halt ${names}?`}>
        <p>
          No new order leaves, and every resting order {scope === 'account' ? '' : `of ${scope} `}is canceled. Positions
          stay.
        </p>
        <div class="dialog-foot">
          <button type="button" onClick={closeDialog}>
            Back
          </button>
          <button type="button" class="halt" autofocus onClick={() => pressHalt(bots, scope)}>
            HALT
          </button>
        </div>
      </DialogFrame>
    );
  return (
    <DialogFrame title={`Halt ${names}`}>
      {sent.map((actionId) => (
        <ControlProgress key={actionId} actionId={actionId} />
      ))}
      {sent.every(wasRefused) ? <NothingHalted /> : <ReasonForm bots={bots} sent={sent} />}
    </DialogFrame>
  );
}

const NothingHalted = (): JSX.Element => (
  <>
    <p class="fault">Nothing was halted.</p>
    <div class="dialog-foot">
      <button type="button" autofocus onClick={closeDialog}>
        Close
      </button>
    </div>
  </>
);

function ReasonForm({ bots, sent }: Pick<HaltProps, 'bots' | 'sent'>): JSX.Element {
  const [fault, setFault] = useState<string | null>(null);
  const saveReasons = async (calls: readonly Promise<string | null>[]): Promise<void> => {
    const faults = await Promise.all(calls);
    const first = faults.find((each) => each !== null) ?? null;
    if (first === null) closeDialog();
    else setFault(first);
  };
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    const reason = fieldOf(event, 'reason');
    if (reason === '') return closeDialog();
    const calls = sent.map((actionId, at) =>
      wasRefused(actionId) ? Promise.resolve(null) : giveReason(bots[at] ?? '', actionId, reason),
    );
    void saveReasons(calls);
  };
  return (
    <form class="dialog-form" onSubmit={onSubmit}>
      <label>
        Why? For the person who resumes it.
        <input name="reason" maxLength={500} autocomplete="off" autofocus />
      </label>
      {fault !== null && <Fault text={fault} />}
      <div class="dialog-foot">
        <button type="button" onClick={closeDialog}>
          Close
        </button>
        <button type="submit" class="primary">
          Save reason
        </button>
      </div>
    </form>
  );
}

interface ScopeProps {
  readonly bot: string;
  readonly scope: string;
}

export function ResumeDialog({ bot, scope }: ScopeProps): JSX.Element {
  const [sent, setSent] = useState<string | null>(null);
  const [typed, setTyped] = useState('');
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    const reason = fieldOf(event, 'reason');
    if (typed === scope) setSent(sendControl({ bot, kind: 'resume', scope, body: { scope, reason, typed } }));
  };
  return (
    <DialogFrame title={`Resume ${bot}`}>
      <form class="dialog-form" onSubmit={onSubmit}>
        <p>
          {scope === 'account' ? 'The bot' : `The bot's ${scope}`} trades again at once if no other halt is in force.
          Look at its positions and at the reason of the halt first.
        </p>
        <label>
          <span>
            Type <code>{scope}</code> to confirm
          </span>
          <input
            name="typed"
            autocomplete="off"
            spellcheck={false}
            autofocus
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
        <label>
          Reason
          <input name="reason" maxLength={1000} autocomplete="off" required />
        </label>
        <div class="dialog-foot">
          <button type="button" onClick={closeDialog}>
            {sent === null ? 'Back' : 'Close'}
          </button>
          <button type="submit" class="primary" disabled={typed !== scope || sent !== null}>
            Resume
          </button>
        </div>
      </form>
      {sent !== null && <ControlProgress actionId={sent} />}
    </DialogFrame>
  );
}

export function CancelAllDialog({ bot, scope }: ScopeProps): JSX.Element {
  const [sent, setSent] = useState<string | null>(null);
  return (
    <DialogFrame title={`Cancel all orders of ${bot}`}>
      <p>
        Every resting order {scope === 'account' ? '' : `of ${scope} `}is canceled. Strategies may quote again at once:
        to prevent that, halt.
      </p>
      {sent !== null && <ControlProgress actionId={sent} />}
      <div class="dialog-foot">
        <button type="button" onClick={closeDialog}>
          {sent === null ? 'Back' : 'Close'}
        </button>
        {sent === null && (
          <button
            type="button"
            class="primary"
            autofocus
            onClick={() => setSent(sendControl({ bot, kind: 'cancel-all', scope, body: { scope } }))}
          >
            Cancel all
          </button>
        )}
      </div>
    </DialogFrame>
  );
}
