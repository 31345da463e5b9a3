// A modal dialog. The browser keeps the focus in it, and Escape closes it.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { closeDialog } from '../state/dialog-state.ts';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

export function DialogFrame({ title, children }: DialogProps): JSX.Element {
  const frame = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    frame.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={frame} aria-label={title} onClose={closeDialog}>
      <header class="dialog-head">
        <h2>{title}</h2>
        <button type="button" class="quiet close" onClick={() => frame.current?.close()} aria-label="Close">
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}
