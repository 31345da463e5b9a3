// Preferences of a person in this browser: colors, time zone, last visits. Must never keep a secret.
import { effect, signal } from '@preact/signals';
import type { Zone } from '../format/times.ts';

export type Theme = 'system' | 'light' | 'dark';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const KEY = 'presage-preferences';

interface Preferences {
  readonly theme: Theme;
  readonly zone: Zone;
  /** Time at which the person last saw the events of a bot, by bot. Microseconds. */
  readonly seen: Readonly<Record<string, number>>;
}

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

/** Sets the next color scheme: system, light, dark, and system again. */
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
      // The browser may refuse to store anything. The preferences then end with the page.
    }
  });
};
