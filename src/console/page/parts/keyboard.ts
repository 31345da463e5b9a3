// The keys of the page. Must never act while a dialog is open. Only Escape acts in a field.
import { type ViewName, formatAddress } from '../state/address.ts';
import { haltTargets, openDialog } from '../state/dialog-state.ts';
import { address, botNames, isOperator, openAddress } from '../state/page-state.ts';

/** Views by the second key, after `g`. */
const VIEW_KEYS: Readonly<Record<string, ViewName>> = {
  o: 'overview',
  m: 'markets',
  r: 'orders',
  s: 'strategies',
  k: 'risk',
  f: 'feed',
  t: 'timeline',
  w: 'why',
};

/** Keys and their effects, for the help. */
export const KEY_HELP: readonly (readonly [keys: string, effect: string])[] = [
  ['g o', 'Overview'],
  ['g m', 'Markets'],
  ['g r', 'Orders'],
  ['g s', 'Strategies'],
  ['g k', 'Risk'],
  ['g f', 'Feed and budgets'],
  ['g t', 'Timeline'],
  ['g w', 'Why'],
  ['/', 'Go to the filter'],
  ['j  k', 'Next row, previous row'],
  ['Enter', 'Open the row'],
  ['w', 'Ask why for the row'],
  ['[  ]', 'Earlier, later'],
  ['b', 'Next bot'],
  ['Shift H', 'Open the halt; Enter halts'],
  ['?', 'This help'],
];

/** Time allowed for the key after `g`. Milliseconds. */
const CHORD_MS = 1500;

let chordAt = -Infinity;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Listens for the page's keys. */
export function startKeyboard(): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (openDialog.value !== null) return;
    if (isTyping(event.target)) {
      if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur();
      return;
    }
    if (onKey(event.key)) event.preventDefault();
  });
}

/** Returns false for a key without an effect. */
function onKey(key: string): boolean {
  if (performance.now() - chordAt < CHORD_MS) {
    chordAt = -Infinity;
    return openView(VIEW_KEYS[key]);
  }
  switch (key) {
    case 'g':
      chordAt = performance.now();
      return true;
    case '/':
      return focusOn(document.querySelector('[data-filter]'));
    case 'j':
      return moveRow(1);
    case 'k':
      return moveRow(-1);
    case 'Enter':
      return openRow();
    case 'w':
      return openWhyOfRow();
    case '[':
      return press('[data-step="earlier"]');
    case ']':
      return press('[data-step="later"]');
    case 'b':
      return openNextBot();
    case '?':
      openDialog.value = { kind: 'help' };
      return true;
    case 'H':
      return openHalt();
    default:
      return false;
  }
}

function openView(view: ViewName | undefined): boolean {
  const { bot } = address.value;
  if (view === undefined) return false;
  openAddress(view === 'overview' ? { bot } : { bot: bot ?? botNames.value[0] ?? null, view });
  return true;
}

function openNextBot(): boolean {
  const { bot, view } = address.value;
  const names = botNames.value;
  const next = names[(names.indexOf(bot ?? '') + 1) % names.length];
  if (next === undefined) return false;
  openAddress({ bot: next, view: view === 'market' ? 'markets' : view });
  return true;
}

function openHalt(): boolean {
  const bots = haltTargets(address.value.bot);
  if (!isOperator.value || bots.length === 0) return false;
  openDialog.value = { kind: 'halt', bots, scope: 'account', sent: [] };
  return true;
}

function focusOn(element: Element | null): boolean {
  if (!(element instanceof HTMLElement)) return false;
  element.focus();
  return true;
}

function moveRow(step: 1 | -1): boolean {
  const rows = [...document.querySelectorAll('[data-row]')];
  const own = document.activeElement?.closest('[data-row]');
  if (!own) return focusOn(rows[0] ?? null);
  const number = Number(own.getAttribute('data-row'));
  const next = rows.find((row) => Number(row.getAttribute('data-row')) === number + step);
  return focusOn(next ?? null);
}

/** Only when the row itself has the focus: a link or a button in the row handles the key by itself. */
function openRow(): boolean {
  const row = document.activeElement;
  return row?.hasAttribute('data-row') === true && pressIn(row, 'summary, a');
}

function openWhyOfRow(): boolean {
  const target = document.activeElement?.closest('[data-row]')?.getAttribute('data-why');
  if (!target) return openView('why');
  location.hash = target;
  return true;
}

const press = (selector: string): boolean => pressIn(document, selector);

function pressIn(within: ParentNode, selector: string): boolean {
  const element = within.querySelector(selector);
  if (!(element instanceof HTMLElement)) return false;
  element.click();
  return true;
}

/** Returns the address of the view `why` for a market. */
export const whyAddress = (bot: string, { market, strategy = '' }: { market: string; strategy?: string }): string =>
  formatAddress({ bot, view: 'why', query: { market, strategy } });
