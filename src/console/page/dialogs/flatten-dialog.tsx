// The dialog of a flatten. It shows the orders and their worst cost before the person types the bot's name.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { textOfFault } from '../state/api-calls.ts';
import { previewFlatten, sendControl, wasRefused } from '../state/control-calls.ts';
import type { FlattenPreview } from '../state/control-types.ts';
import { closeDialog } from '../state/dialog-state.ts';
import { nowUs } from '../state/page-state.ts';
import { Empty, Fault, Loading } from '../parts/blocks.tsx';
import { fieldOf } from '../parts/form-fields.ts';
import { ControlProgress } from './control-progress.tsx';
import { DialogFrame } from './dialog-frame.tsx';
import { Money, Price, Qty, Side } from '../parts/figures.tsx';

export function FlattenDialog({ bot }: { readonly bot: string }): JSX.Element {
  const [preview, setPreview] = useState<FlattenPreview | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [sent, setSent] = useState<string | null>(null);
  const read = (): void => {
    setSent(null);
    setPreview(null);
    setFault(null);
    previewFlatten(bot).then(setPreview, (reason: unknown) => setFault(textOfFault(reason)));
  };
  useEffect(read, [bot]);
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    const [typed, reason] = [fieldOf(event, 'typed'), fieldOf(event, 'reason')];
    if (typed !== bot || !preview) return;
    const body = { previewId: preview.previewId, typed, reason };
    setSent(sendControl({ bot, kind: 'flatten', scope: 'account', body }));
  };
  const isExpired = preview !== null && preview.expiresUs <= nowUs.value;
  return (
    <DialogFrame title={`Flatten ${bot}`}>
      <p>The bot is halted, its resting orders are canceled, and these orders close its positions.</p>
      {fault !== null && <Fault text={fault} />}
      {!preview && fault === null && <Loading />}
      {preview && <PreviewTable preview={preview} />}
      {sent === null && isExpired && (
        <p class="fault">
          The preview is too old.{' '}
          <button type="button" onClick={read}>
            Preview again
          </button>
        </p>
      )}
      {sent === null ? (
        <FlattenForm bot={bot} isReady={preview !== null && !isExpired} onSubmit={onSubmit} />
      ) : (
        <ControlProgress actionId={sent} />
      )}
      {sent !== null && wasRefused(sent) && <NothingClosed onPreview={read} />}
    </DialogFrame>
  );
}

/** The positions of a bot that trades change while the person types, and each change refuses the flatten. */
const NothingClosed = ({ onPreview }: { readonly onPreview: () => void }): JSX.Element => (
  <>
    <p class="fault">Nothing was closed or halted. The positions of a bot that trades change: halt it first.</p>
    <div class="dialog-foot">
      <button type="button" onClick={closeDialog}>
        Close
      </button>
      <button type="button" class="primary" onClick={onPreview}>
        Preview again
      </button>
    </div>
  </>
);

interface FormProps {
  readonly bot: string;
  readonly isReady: boolean;
  readonly onSubmit: (event: SubmitEvent) => void;
}

const FlattenForm = ({ bot, isReady, onSubmit }: FormProps): JSX.Element => (
  <form class="dialog-form" onSubmit={onSubmit}>
    <label>
      <span>
        Type <code>{bot}</code> to confirm
      </span>
      <input name="typed" autocomplete="off" spellcheck={false} required pattern={literalPattern(bot)} />
    </label>
    <label>
      Reason
      <input name="reason" maxLength={1000} autocomplete="off" required />
    </label>
    <div class="dialog-foot">
      <button type="button" onClick={closeDialog}>
        Back
      </button>
      <button type="submit" class="halt" disabled={!isReady}>
        Flatten
      </button>
    </div>
  </form>
);

const literalPattern = (text: string): string => text.replaceAll(/[^\p{L}\p{N}_ ]/gu, String.raw`\$&`);

const PreviewTable = ({ preview }: { readonly preview: FlattenPreview }): JSX.Element => (
  <>
    {preview.orders.length === 0 ? (
      <Empty>There is no position to close.</Empty>
    ) : (
      <div class="table-scroll">
        <table class="table">
          <thead>
            <tr>
              <th>Market</th>
              <th>Side</th>
              <th class="right">Quantity</th>
              <th class="right">Worst price</th>
              <th class="right">Worst cost</th>
            </tr>
          </thead>
          <tbody>
            {preview.orders.map((order) => (
              <tr key={`${order.ticker} ${order.side}`}>
                <td>{order.ticker}</td>
                <td>
                  <Side side={order.side} />
                </td>
                <td class="right">
                  <Qty qty={order.qty} />
                </td>
                <td class="right">
                  <Price price={order.price} />
                </td>
                <td class="right">
                  <Money micros={order.costMicros} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
    <p>
      Worst cost in all:{' '}
      <strong>
        <Money micros={preview.worstCostMicros} />
      </strong>
    </p>
    {preview.unclosed.map(({ ticker, qty, why }) => (
      <p key={ticker} class="fault">
        {ticker}: <Qty qty={qty} isSigned /> cannot be closed now. {why}
      </p>
    ))}
  </>
);
