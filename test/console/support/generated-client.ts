// A program that uses the client generated from the console's published description.

/** The program. It is type-checked, and halts a bot; the wrong call in it must not pass the checker. */
export const CLIENT = `import createClient from 'openapi-fetch';
import type { paths } from './api.js';

export async function haltBot(baseUrl: string, token: string, bot: string): Promise<string | undefined> {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${token}\` } });
  const { data } = await client.GET('/api/v1/bots');
  const known: string | undefined = data?.bots[0]?.bot;
  const halted = await client.POST('/api/v1/bots/{bot}/halt', {
    params: { path: { bot: known ?? bot } },
    body: { scope: 'account', reason: 'by a generated client', actionId: crypto.randomUUID() },
  });
  const state: 'latched' | 'heard' | 'canceling' | 'confirmed' | 'failed' | undefined = halted.data?.state;
  // @ts-expect-error the body needs an actionId
  void (() => client.POST('/api/v1/bots/{bot}/halt', { params: { path: { bot } }, body: { scope: 'account' } }));
  return state;
}
`;
