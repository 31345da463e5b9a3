// The entry of the page. Must never load anything from another origin.
import { render } from 'preact';
import { plainText } from './format/figures.ts';
import { startKeyboard } from './parts/keyboard.ts';
import { Shell } from './parts/shell.tsx';
import { startPage } from './state/page-state.ts';
import { startPreferences } from './state/preferences.ts';

startPreferences();
startPage();
startKeyboard();
document.addEventListener('copy', (event) => {
  const text = document.getSelection()?.toString() ?? '';
  const plain = plainText(text);
  if (plain === text || !event.clipboardData) return;
  event.clipboardData.setData('text/plain', plain);
  event.preventDefault();
});
const page = document.getElementById('page');
if (page) render(<Shell />, page);
