// The login form: it exchanges a token for a cookie. Must never store or show the token.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { logIn } from '../state/page-state.ts';
import { Fault } from './blocks.tsx';
import { fieldOf } from './form-fields.ts';

export function LoginForm({ fault: first }: { readonly fault: string | null }): JSX.Element {
  const [fault, setFault] = useState(first);
  const [isBusy, setBusy] = useState(false);
  const tryToken = async (token: string): Promise<void> => {
    setBusy(true);
    setFault(await logIn({ token }));
    setBusy(false);
  };
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    const token = fieldOf(event, 'token');
    if (token === '') return;
    void tryToken(token);
  };
  return (
    <main class="login">
      <form class="panel" onSubmit={onSubmit}>
        <h1>presage</h1>
        <p class="muted">Log in with your token. It is the third word of your line in the file console.token.</p>
        <label>
          Token
          <input name="token" type="password" autocomplete="off" spellcheck={false} required />
        </label>
        {fault !== null && <Fault text={fault} />}
        <button type="submit" class="primary" disabled={isBusy}>
          Log in
        </button>
        <p class="muted small">Or start the console again: it prints an address that logs in once, within a minute.</p>
      </form>
    </main>
  );
}
