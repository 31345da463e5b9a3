// Calls of the page that the console refuses for their rate, or answers late: the halt of many bots goes on to its end.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Action } from '../../../src/console/api/api-schemas.ts';
import { ApiProblem, callApi, callSlowApi } from '../../../src/console/page/state/api-calls.ts';
import { giveReason, sendControl, sentControls } from '../../../src/console/page/state/control-calls.ts';

const answer = (status: number, body: object): Response => new Response(JSON.stringify(body), { status });
const BUSY = (): Response =>
  answer(429, { code: 'too-many', detail: 'too many requests of one login', retryAfterMs: 700 });
const action = (actionId: string, state: Action['state']): object => ({
  actionId,
  bot: 'demo',
  state,
  text: '',
  at: {},
});

/** Answers each call of the page. */
function answerWith(reply: (path: string, body: { readonly actionId?: string }) => Response): void {
  vi.stubGlobal('fetch', async (path: string, { body = '{}' }: { readonly body?: string }) =>
    reply(path, JSON.parse(body)),
  );
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  sentControls.value = [];
});

describe('a control of the page', () => {
  it('is followed to its end when the console refuses questions for their rate', async () => {
    const asked: number[] = [];
    answerWith((path, { actionId = '' }) => {
      if (path.endsWith('/halt')) return answer(202, action(actionId, 'latched'));
      asked.push(Date.now());
      return asked.length < 3 ? BUSY() : answer(200, action(path.split('/').at(-1) ?? '', 'confirmed'));
    });
    sendControl({ bot: 'demo', kind: 'halt', scope: 'account', body: { scope: 'account' } });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(sentControls.value).toMatchObject([{ fault: null, action: { state: 'confirmed' } }]);
    expect(asked).toHaveLength(3);
  });

  it('asks less often the more of them are under way, within the rate of a login', async () => {
    let asked = 0;
    answerWith((path, { actionId = '' }) => {
      if (path.endsWith('/halt')) return answer(202, action(actionId, 'latched'));
      asked += 1;
      return answer(200, action(path.split('/').at(-1) ?? '', 'canceling'));
    });
    for (let n = 0; n < 40; n++) sendControl({ bot: 'demo', kind: 'halt', scope: 'account', body: {} });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(asked / 20).toBeLessThan(20);
    expect(asked / 20).toBeGreaterThan(5);
  });
});

it('saves the reason of a halt that the console refuses at first for its rate', async () => {
  let refusals = 3;
  answerWith(() => (refusals-- > 0 ? BUSY() : answer(200, {})));
  const saved = giveReason('demo', 'id', 'odd quotes');
  await vi.advanceTimersByTimeAsync(5000);
  expect(await saved).toBeNull();
});

describe('a call of the page', () => {
  it('waits minutes for an answer from a journal, and ten seconds for any other', async () => {
    const allowed = vi.spyOn(AbortSignal, 'timeout');
    answerWith(() => answer(200, {}));
    await callApi('/bots');
    await callSlowApi('/bots/demo/why');
    expect(allowed.mock.calls.map(([ms]) => ms)).toEqual([10_000, 300_000]);
    allowed.mockRestore();
  });

  it('says how long it waited, and not that nothing answers', async () => {
    const late = AbortSignal.abort(new DOMException('late', 'TimeoutError'));
    const allowed = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late);
    vi.stubGlobal('fetch', () => Promise.reject(late.reason));
    const fault = await callApi('/bots').catch((reason: unknown) => reason);
    expect(fault).toBeInstanceOf(ApiProblem);
    expect(String(fault)).toContain('The console has not answered within 10 s.');
    allowed.mockRestore();
  });
});
