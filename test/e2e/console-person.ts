// A person at the console of one bot: logs in by the printed link, reads, and begins controls.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { DescribedApi } from '../console/support/described-api.ts';
import { EventReader } from '../console/support/event-reader.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { pause } from './site.ts';

export type Json = Readonly<Record<string, unknown>>;

/** A person at the console of one bot. */
export class Person {
  readonly origin: string;
  readonly #cookie: string;
  readonly bot: string;
  readonly #api: DescribedApi;

  private constructor({
    origin,
    cookie,
    bot,
    api,
  }: {
    origin: string;
    cookie: string;
    bot: string;
    api: DescribedApi;
  }) {
    this.origin = origin;
    this.#cookie = cookie;
    this.bot = bot;
    this.#api = api;
  }

  /** The description of the console's API. Every answer that the person gets must fit it. */
  get api(): DescribedApi {
    return this.#api;
  }

  /** Logs in by the link that the console printed. */
  static async logIn(url: string): Promise<Person> {
    const { origin, hash } = new URL(url);
    const headers = { Origin: origin, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ code: hash.slice('#login='.length) });
    const answer = await fetch(`${origin}/api/v1/session`, { method: 'POST', headers, body });
    expect(answer.status).toBe(204);
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const again = await fetch(`${origin}/api/v1/session`, { method: 'POST', headers, body });
    expect(again.status).toBe(401);
    const who = (await (await fetch(`${origin}/api/v1/session`, { headers: { Cookie: cookie } })).json()) as Json;
    const api = await DescribedApi.read(origin, { Cookie: cookie });
    const of = (method: string, path: string, answer: Response): Promise<void> =>
      api.checkAnswer(method, `${origin}/api/v1${path}`, answer);
    await of('POST', '/session', answer);
    await of('POST', '/session', again);
    return new Person({ origin, cookie, bot: (who['bots'] as string[])[0] ?? '', api });
  }

  async call(method: string, path: string, body?: object): Promise<{ readonly status: number; readonly body: Json }> {
    const answer = await fetch(`${this.origin}/api/v1${path}`, {
      method,
      headers: { Cookie: this.#cookie, Origin: this.origin, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    await this.#api.checkAnswer(method, answer.url, answer);
    if (answer.status !== 429) return { status: answer.status, body: (await answer.json()) as Json };
    await pause(Number(((await answer.json()) as Json)['retryAfterMs']));
    return this.call(method, path, body);
  }

  async read(path: string): Promise<Response> {
    const answer = await fetch(`${this.origin}/api/v1${path}`, { headers: { Cookie: this.#cookie } });
    await this.#api.checkAnswer('GET', answer.url, answer);
    return answer;
  }

  /** Opens a live stream. */
  follow(path: string): Promise<EventReader> {
    return EventReader.open(`${this.origin}/api/v1${path}`, { Cookie: this.#cookie }, this.#api);
  }

  /** Begins a control, and waits for its end. */
  async control(path: string, body: Json): Promise<Json> {
    const actionId = randomUUID();
    const begun = await this.call('POST', `/bots/${this.bot}/${path}`, { ...body, actionId });
    expect([begun.status, begun.body['actionId']]).toEqual([202, actionId]);
    return this.ended(actionId);
  }

  async ended(actionId: string): Promise<Json> {
    for (const untilMs = performance.now() + PATIENCE_MS; performance.now() < untilMs; await pause(100)) {
      const { body } = await this.call('GET', `/bots/${this.bot}/actions/${actionId}`);
      if (body['state'] === 'confirmed' || body['state'] === 'failed') return body;
    }
    throw new Error('the action does not end');
  }
}
