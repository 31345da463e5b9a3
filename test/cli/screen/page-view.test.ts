// Keys of the terminal page: how they are read, and how each changes the view.
import { describe, expect, it } from 'vitest';
import { FIRST_VIEW, type PageView, readKeys, viewAfterKey } from '../../../src/cli/screen/page-view.ts';

const RANGE = { max: 30, page: 10 };

/** The view after keys as a terminal sends them. */
function after(sent: string, from: PageView = FIRST_VIEW): PageView | 'stop' {
  let view = from;
  for (const key of readKeys(sent)) {
    const next = viewAfterKey(view, key, RANGE);
    if (next === 'stop') return 'stop';
    view = next;
  }
  return view;
}

describe('keys', () => {
  it('are read from what a terminal sends, several at once', () => {
    const names = readKeys('\u001B[A\u001BOB\u001B[5~\u001B[6~\r\u007F\u0003j').map((key) =>
      key.type === 'named' ? key.name : key.text,
    );
    expect(names).toEqual(['up', 'down', 'page-up', 'page-down', 'enter', 'backspace', 'interrupt', 'j']);
  });

  it('that are unknown are dropped', () => {
    expect(readKeys('\u001B[200~\u001B[1;5C\u0007\u0001')).toEqual([]);
    expect(readKeys('\u001B')).toEqual([{ type: 'named', name: 'escape' }]);
  });
});

describe('the view', () => {
  it.each([
    ['j', 1],
    ['\u001B[B\u001B[B\u001B[A', 1],
    ['jjk', 1],
    ['k', 0],
    ['\u001B[6~', 10],
    [' ', 10],
    ['  \u001B[5~', 10],
    ['G', 30],
    ['Gj', 30],
    ['Gg', 0],
    ['\u001B[F', 30],
  ])('scrolls within the page at %j', (sent, scroll) => {
    expect(after(sent)).toEqual({ ...FIRST_VIEW, scroll });
  });

  it('scrolls from where the page ends when the page has become shorter', () => {
    expect(after('k', { ...FIRST_VIEW, scroll: 400 })).toMatchObject({ scroll: 29 });
  });

  it('takes a filter after /, in which q and o are letters', () => {
    expect(after('jj/qo')).toEqual({ ...FIRST_VIEW, filter: 'qo', isTyping: true });
    expect(after('/qo\u007F\r')).toEqual({ ...FIRST_VIEW, filter: 'q' });
    expect(after('/qo\u001B')).toEqual(FIRST_VIEW);
    expect(after('/qo\r\u001B')).toEqual(FIRST_VIEW);
  });

  it('shows ours only, and the help, and back', () => {
    expect(after('jo')).toEqual({ ...FIRST_VIEW, isOursOnly: true });
    expect(after('oo')).toEqual(FIRST_VIEW);
    expect(after('?')).toEqual({ ...FIRST_VIEW, isHelp: true });
    expect(after('??')).toEqual(FIRST_VIEW);
  });

  it('asks for the end at q and Ctrl-C, also while a filter is typed', () => {
    expect(after('q')).toBe('stop');
    expect(after('\u0003')).toBe('stop');
    expect(after('/abc\u0003')).toBe('stop');
  });
});
