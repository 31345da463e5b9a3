// The dialog that sends a test alert to every target.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { AlertTestResult } from '../../api/alert-routes.ts';
import { callSlowApi, textOfFault } from '../state/api-calls.ts';
import { closeDialog } from '../state/dialog-state.ts';
import { DialogFrame } from './dialog-frame.tsx';

export function AlertDialog(): JSX.Element {
  const [result, setResult] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const send = (): void => {
    setBusy(true);
    callSlowApi<AlertTestResult>('/alerts/test', { method: 'POST', body: {} }).then(
      ({ targets }) => setResult(resultText(targets)),
      (fault: unknown) => {
        setResult(textOfFault(fault));
        setBusy(false);
      },
    );
  };
  return (
    <DialogFrame title="Send a test alert">
      <p>Every target under alerts: in the config gets one message that says that it is a test.</p>
      {result !== null && <p role="status">{result}</p>}
      <div class="dialog-foot">
        <button type="button" onClick={closeDialog}>
          Close
        </button>
        <button type="button" class="primary" disabled={isBusy} onClick={send}>
          Send
        </button>
      </div>
    </DialogFrame>
  );
}

const resultText = (targets: AlertTestResult['targets']): string =>
  targets
    .map(({ bot, target, isAccepted, answer }) => {
      const result = isAccepted ? 'accepted it' : `did not accept it (${answer})`;
      return `${bot}: ${target} ${result}.`;
    })
    .join(' ');
