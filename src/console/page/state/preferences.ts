// A person's preferences in this browser: colors, zone of times. Must never keep a secret or anything about trading.
import { effect, signal } from '@preact/signals';
import type { Zone } from '../format/times.ts';

export type Theme = 'system' | 'light' | 'dark';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const KEY = 'presage-preferences';

interface Preferences {
  readonly theme: Theme;
  readonly zone: Zone;
  /** Time at which the person last looked at a bot's log, in microseconds, by bot. */
  readonly seen: Readonly<Record<string, number>>;
}

/** Reads the stored text. A browser that stores nothing, or another program's text, gives the defaults. */
function read(): Preferences {
  const defaults: Preferences = { theme: 'system', zone: 'local', seen: {} };
  try {
    const stored: Partial<Preferences> = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return {
      theme: THEMES.find((each) => each === stored.theme) ?? defaults.theme,
      zone: stored.zone === 'utc' ? 'utc' : defaults.zone,
      seen: typeof stored.seen === 'object' && stored.seen !== null ? stored.seen : defaults.seen,
    };
  } catch {
    return defaults;
  }
}

const stored = read();
export const theme = signal<Theme>(stored.theme);
export const zone = signal<Zone>(stored.zone);
export const seen = signal(stored.seen);

/** Sets the next color scheme: system, light, dark, system. */
export const switchTheme = (): void => {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
};

export const switchZone = (): void => {
  zone.value = zone.value === 'utc' ? 'local' : 'utc';
};

/** Keeps the preferences stored, and the page in its color scheme. */
export const startPreferences = (): void => {
  effect(() => {
    if (theme.value === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme.value;
  });
  effect(() => {
    const text = JSON.stringify({ theme: theme.value, zone: zone.value, seen: seen.value });
    try {
      localStorage.setItem(KEY, text);
    } catch {
      // A browser may refuse storage: the preferences then last as long as the page.
    }
  });
};
