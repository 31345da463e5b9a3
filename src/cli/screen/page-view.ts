// A person's view of the terminal page: scroll position, filter, help. Keys change it. Pure.

/** A person's view of the page. */
export interface PageView {
  /** Rows scrolled down. */
  readonly scroll: number;
  /** Text in the shown markets and events, in any case of letters. Empty: all are shown. */
  readonly filter: string;
  readonly isTyping: boolean;
  /** Only markets with a position or a quote of ours are shown. */
  readonly isOursOnly: boolean;
  readonly isHelp: boolean;
}

export const FIRST_VIEW: PageView = { scroll: 0, filter: '', isTyping: false, isOursOnly: false, isHelp: false };

/** A key: a name, or one character. */
export type PageKey =
  | { readonly type: 'named'; readonly name: KeyName }
  | { readonly type: 'character'; readonly text: string };
type KeyName =
  | 'up'
  | 'down'
  | 'page-up'
  | 'page-down'
  | 'home'
  | 'end'
  | 'enter'
  | 'escape'
  | 'backspace'
  | 'interrupt';

const SEQUENCES: Readonly<Record<string, KeyName>> = {
  '\u001B[A': 'up',
  '\u001BOA': 'up',
  '\u001B[B': 'down',
  '\u001BOB': 'down',
  '\u001B[5~': 'page-up',
  '\u001B[6~': 'page-down',
  '\u001B[H': 'home',
  '\u001BOH': 'home',
  '\u001B[1~': 'home',
  '\u001B[F': 'end',
  '\u001BOF': 'end',
  '\u001B[4~': 'end',
  '\u001B': 'escape',
  '\r': 'enter',
  '\n': 'enter',
  '\u007F': 'backspace',
  '\b': 'backspace',
  '\u0003': 'interrupt',
};

const ESCAPE = '\u001B';

/** A sequence that begins with escape, or one character. */
const KEYS = new RegExp(`${ESCAPE}(?:\\[[\\d;?]*[ -/]*[@-~]|O[@-~])?|[^${ESCAPE}]`, 'gu');

/** Reads the keys in a text from the terminal. Unknown sequences and control characters are dropped. */
export function readKeys(sent: string): PageKey[] {
  return (sent.match(KEYS) ?? []).flatMap((text): PageKey[] => {
    const name = SEQUENCES[text];
    if (name !== undefined) return [{ type: 'named', name }];
    return /^\P{Cc}$/u.test(text) ? [{ type: 'character', text }] : [];
  });
}

/** The range in which the drawn page can be scrolled. */
export interface ScrollRange {
  readonly max: number;
  /** Rows of a screenful. */
  readonly page: number;
}

/** Returns the view that follows a key, or `stop` for the key to end the session. */
export function viewAfterKey(view: PageView, key: PageKey, range: ScrollRange): PageView | 'stop' {
  if (key.type === 'named' && key.name === 'interrupt') return 'stop';
  if (view.isTyping) return viewAfterTyping(view, key);
  if (key.type === 'named') return viewAfterNamedKey(view, key.name, range);
  switch (key.text) {
    case 'q':
      return 'stop';
    case '?':
      return { ...view, isHelp: !view.isHelp, scroll: 0 };
    case '/':
      return { ...view, isTyping: true, isHelp: false, filter: '', scroll: 0 };
    case 'o':
      return { ...view, isOursOnly: !view.isOursOnly, scroll: 0 };
    default:
      return viewAfterNamedKey(view, LETTERS[key.text] ?? 'enter', range);
  }
}

const LETTERS: Readonly<Record<string, KeyName>> = {
  k: 'up',
  j: 'down',
  g: 'home',
  G: 'end',
  b: 'page-up',
  ' ': 'page-down',
};

function viewAfterNamedKey(view: PageView, name: KeyName, { max, page }: ScrollRange): PageView {
  const from = Math.min(view.scroll, max);
  const to = (scroll: number): PageView => ({ ...view, scroll: Math.max(0, Math.min(max, scroll)) });
  switch (name) {
    case 'up':
      return to(from - 1);
    case 'down':
      return to(from + 1);
    case 'page-up':
      return to(from - page);
    case 'page-down':
      return to(from + page);
    case 'home':
      return to(0);
    case 'end':
      return to(max);
    case 'escape':
      return { ...view, filter: '', isHelp: false, scroll: 0 };
    case 'enter':
    case 'backspace':
    case 'interrupt':
      return view;
  }
}

const FILTER_MAX = 64;

function viewAfterTyping(view: PageView, key: PageKey): PageView {
  if (key.type === 'character') return { ...view, filter: (view.filter + key.text).slice(0, FILTER_MAX), scroll: 0 };
  if (key.name === 'enter') return { ...view, isTyping: false };
  if (key.name === 'escape') return { ...view, isTyping: false, filter: '' };
  if (key.name === 'backspace') return { ...view, filter: view.filter.replace(/.$/u, ''), scroll: 0 };
  return view;
}
