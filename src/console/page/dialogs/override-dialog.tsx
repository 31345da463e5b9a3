// The dialog that overrides a limit for a while. The value is in the unit of the config.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatLimit } from '../format/figures.ts';
import { sendControl } from '../state/control-calls.ts';
import { closeDialog } from '../state/dialog-state.ts';
import { session } from '../state/live-data.ts';
import { ControlProgress } from './control-progress.tsx';
import { fieldOf } from '../parts/form-fields.ts';
import { DialogFrame } from './dialog-frame.tsx';

interface OverrideProps {
  readonly bot: string;
  readonly limit: string;
  readonly strategy: string | null;
}

const MINUTE_MS = 60_000;
const USUAL_MINUTES = 15;
const SPANS: readonly (readonly [minutes: number, text: string])[] = [
  [5, '5 minutes'],
  [15, '15 minutes'],
  [60, '1 hour'],
  [240, '4 hours'],
  [1440, '1 day'],
];

export function OverrideDialog({ bot, limit, strategy }: OverrideProps): JSX.Element {
  const [sent, setSent] = useState<string | null>(null);
  const limits = session.value?.value.limits ?? [];
  const own = session.value?.value.strategies.find(({ name }) => name === strategy)?.limits ?? [];
  const use = [...own, ...limits].find(
    (each) => each.limit === limit && (strategy === null || each.strategy === strategy),
  );
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    const typed = fieldOf(event, 'typed');
    const body = {
      limit,
      value: fieldOf(event, 'value'),
      forMs: Number(fieldOf(event, 'minutes')) * MINUTE_MS,
      reason: fieldOf(event, 'reason'),
      ...(strategy === null ? {} : { strategy }),
      ...(typed === '' ? {} : { typed }),
    };
    setSent(
      sendControl({ bot, kind: 'override', scope: strategy === null ? 'account' : `strategy ${strategy}`, body }),
    );
  };
  return (
    <DialogFrame title={`Override ${limit}${strategy === null ? '' : ` of ${strategy}`}`}>
      {use && (
        <p>
          Now {formatLimit(use.used, use.unit)} of {formatLimit(use.allowed, use.unit)} is used.
        </p>
      )}
      <form class="dialog-form" onSubmit={onSubmit}>
        <label>
          New value, in the config's unit
          <input name="value" inputMode="decimal" autocomplete="off" required autofocus />
        </label>
        <label>
          For
          <select name="minutes">
            {SPANS.map(([minutes, text]) => (
              <option key={minutes} value={minutes} selected={minutes === USUAL_MINUTES}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <label>
          Reason
          <input name="reason" maxLength={1000} autocomplete="off" required />
        </label>
        <label>
          <span>
            A value looser than the config's: type <code>{limit}</code>
          </span>
          <input name="typed" autocomplete="off" spellcheck={false} />
        </label>
        <div class="dialog-foot">
          <button type="button" onClick={closeDialog}>
            {sent === null ? 'Back' : 'Close'}
          </button>
          <button type="submit" class="primary" disabled={sent !== null}>
            Override
          </button>
        </div>
      </form>
      {sent !== null && <ControlProgress actionId={sent} />}
    </DialogFrame>
  );
}
