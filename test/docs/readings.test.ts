// Checks that the page on going live lists every open question about the venue, with its possible answers and the
// dialect's own answer.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readingsSchema } from '../../src/config/readings.ts';
import { kalshiProfile } from '../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { ROOT } from './pages.ts';

const PAGE = 'docs/how-to/go-live.md';

describe('the readings', () => {
  it(`are listed in ${PAGE}, each with its answers, the dialect's own answer and a reason`, () => {
    const rows = readFileSync(join(ROOT, PAGE), 'utf8')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()));
    for (const [name, answers] of Object.entries(readingsSchema.shape)) {
      const row = rows.find((cells) => cells[1] === `\`${name}\``);
      expect(row, name).toBeDefined();
      const [, , listed, own, why = ''] = row ?? [];
      expect(listed).toBe(
        answers
          .unwrap()
          .options.map((answer) => `\`${answer}\``)
          .join(', '),
      );
      expect(own).toBe(`\`${kalshiProfile.readings[name as keyof typeof kalshiProfile.readings]}\``);
      expect(why.length).toBeGreaterThan(40);
    }
  });
});
