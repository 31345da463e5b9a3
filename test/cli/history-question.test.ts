// A question to the history that no row could answer is refused.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { timelineCommand } from '../../src/cli/timeline-command.ts';
import { answerQuestion } from '../../src/cli/history/history-question.ts';
import { fromMillis } from '../../src/domain/units.ts';

it.each([
  [2000, 1000],
  [1000, 1000],
])('a span from %d ms to %d ms is refused, before any journal is read', async (from, to) => {
  const flags = { data: 'nowhere', from: fromMillis(from), to: fromMillis(to) };
  const question = { columns: [], ask: () => [], whenEmpty: 'no rows' };
  await expect(answerQuestion(flags, question)).rejects.toThrow(
    /^--to: expected a moment after --from 1970-01-01T00:00:0[12]\.000000Z, found 1970-01-01T00:00:01\.000000Z$/,
  );
});

it('a strategy that the history does not have is refused, with those that it has', async ({ onTestFinished }) => {
  const data = mkdtempSync(join(tmpdir(), 'presage-question-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  // The question writes a history beside the journal.
  cpSync(join(import.meta.dirname, '../e2e/data-0.1.0'), data, { recursive: true });
  const question = { columns: [], ask: () => [], whenEmpty: 'no rows' };
  await expect(answerQuestion({ data, strategy: 'nope' }, question)).rejects.toThrow(
    '--strategy: expected a strategy of this history, found "nope" (known: arbitrage, quoter)',
  );
});

it.each([
  ['alarm, halt', 'nowhere'],
  ['alarm,stop', '--kind: expected some of session, alarm, halt, '],
])('the kinds %j of a timeline are read with their spaces', async (kinds, message) => {
  const asked = timelineCommand().exitOverride().parseAsync(['--data', 'nowhere', '--kind', kinds], { from: 'user' });
  await expect(asked).rejects.toThrow(message);
});
