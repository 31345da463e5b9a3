// The body for each service against its documented form: members, limits, and that no text of a venue becomes markup.
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  DISCORD_TEXT_MAX,
  DISCORD_TITLE_MAX,
  NTFY_MESSAGE_MAX,
  SLACK_TEXT_MAX,
  TELEGRAM_TEXT_MAX,
  discordRequest,
  ntfyRequest,
  slackRequest,
  telegramRequest,
  webhookRequest,
} from '../../../src/alerts/targets/target-messages.ts';
import { cutBytes, cutText } from '../../../src/alerts/record/alert-text.ts';
import { aRecord } from '../../support/alerts/alert-drafts.ts';

const HOSTILE = aRecord({
  title: 'demo: @everyone <!channel> [x](https://evil.example) *b* _i_ `c` <b>h</b> &',
  happened: '<script>alert(1)</script> \\ ~~s~~ ||spoiler|| # heading > quote :smile:',
});
/** Longer than every limit, with characters of two UTF-16 units and four bytes. */
const LONG = aRecord({ title: `demo: ${'📈'.repeat(400)}`, happened: '📉x'.repeat(4000) });
const bodyOf = (request: { readonly body: string }): Record<string, unknown> =>
  JSON.parse(request.body) as Record<string, unknown>;
const isWhole = (text: string): boolean =>
  !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);

describe('a message for Slack', () => {
  it('is plain text in a section, and escapes the three characters of markup in the notification', () => {
    const request = slackRequest('https://hooks.example/x', HOSTILE);
    expect(Object.keys(bodyOf(request)).toSorted()).toEqual(['blocks', 'text']);
    const { text, blocks } = bodyOf(request) as {
      text: string;
      blocks: { type: string; text: Record<string, unknown> }[];
    };
    expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
    expect(blocks).toMatchObject([{ type: 'section', text: { type: 'plain_text', emoji: false } }]);
    expect(blocks[0]?.text['text']).toContain('<!channel>');
  });

  it('is at most 3000 characters long', () => {
    const { blocks } = bodyOf(slackRequest('https://hooks.example/x', LONG)) as {
      blocks: { text: { text: string } }[];
    };
    expect(blocks[0]!.text.text.length).toBeLessThanOrEqual(SLACK_TEXT_MAX);
    expect(isWhole(blocks[0]!.text.text)).toBe(true);
  });
});

describe('a message for Discord', () => {
  const embedOf = (record: typeof LONG) =>
    (bodyOf(discordRequest('https://d.example/x', record))['embeds'] as Record<string, string>[])[0]!;

  it('rings no one, and escapes markup, links and mentions', () => {
    const body = bodyOf(discordRequest('https://d.example/x', HOSTILE));
    expect(body).toMatchObject({ content: '', allowed_mentions: { parse: [] } });
    const { title = '', description = '' } = embedOf(HOSTILE);
    for (const text of [title, description])
      expect(text.replaceAll(/\\[\\*_~`|>[\]()#<@:]/g, '')).not.toMatch(/[\\*_~`|>[\]()#<@:]/);
    expect(title).toContain(String.raw`\@everyone`);
  });

  it('has an ISO time, and keeps within 256 and 4096 characters without half an escape', () => {
    for (const record of [LONG, aRecord({ title: '*'.repeat(999), happened: '_'.repeat(9999) })]) {
      const { title = '', description = '', timestamp = '' } = embedOf(record);
      expect(title.length).toBeLessThanOrEqual(DISCORD_TITLE_MAX);
      expect(description.length).toBeLessThanOrEqual(DISCORD_TEXT_MAX);
      expect(isWhole(title) && isWhole(description)).toBe(true);
      expect(`${title}${description}`).not.toMatch(/(?<!\\)(?:\\\\)*\\…/);
      expect(new Date(timestamp).toISOString()).toBe(record.at);
    }
  });
});

describe('a message for Telegram', () => {
  const account = { url: 'https://api.example/', token: '123:abc', chat: '-100' };

  it('has the token in the path, no parse mode, and no preview of links', () => {
    const request = telegramRequest(account, HOSTILE);
    expect(request.url).toBe('https://api.example/bot123:abc/sendMessage');
    const body = bodyOf(request);
    expect(body).not.toHaveProperty('parse_mode');
    expect(body).toMatchObject({
      chat_id: '-100',
      disable_notification: false,
      link_preview_options: { is_disabled: true },
    });
    expect(body['text']).toContain('<script>');
    expect(bodyOf(telegramRequest(account, aRecord({ severity: 'info' })))['disable_notification']).toBe(true);
  });

  it('is at most 4096 UTF-16 units long', () => {
    const text = String(bodyOf(telegramRequest(account, LONG))['text']);
    expect(text.length).toBeLessThanOrEqual(TELEGRAM_TEXT_MAX);
    expect(isWhole(text)).toBe(true);
  });
});

describe('a message for ntfy', () => {
  const server = { url: 'https://ntfy.example', topic: 'secret-topic', token: 'tk_1' };

  it('goes to the root with its topic in the body, and its token in the header', () => {
    const request = ntfyRequest(server, aRecord({ severity: 'critical', link: 'https://c.example/' }));
    expect(request.url).toBe('https://ntfy.example/');
    expect(request.headers).toMatchObject({ authorization: 'Bearer tk_1' });
    expect(bodyOf(request)).toMatchObject({
      topic: 'secret-topic',
      priority: 5,
      tags: ['rotating_light'],
      click: 'https://c.example/',
    });
    expect(ntfyRequest({ ...server, token: null }, aRecord()).headers).not.toHaveProperty('authorization');
  });

  it('is at most 4096 bytes long, so that it does not become a file', () => {
    const message = String(bodyOf(ntfyRequest(server, LONG))['message']);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(NTFY_MESSAGE_MAX);
    expect(Buffer.byteLength(message)).toBeGreaterThan(NTFY_MESSAGE_MAX - 8);
    expect(isWhole(message)).toBe(true);
  });
});

describe('a message for any program', () => {
  it('is the record, signed over its time and body', () => {
    const { headers, body } = webhookRequest(
      { url: 'https://x.example/', secret: 'key', nowMs: 1_795_000_000_999 },
      HOSTILE,
    );
    expect(JSON.parse(body)).toEqual(HOSTILE);
    const expected = createHmac('sha256', 'key').update(`1795000000.${body}`).digest('hex');
    expect(headers).toMatchObject({ 'x-presage-timestamp': '1795000000', 'x-presage-signature': `sha256=${expected}` });
  });

  it('has no signature without a key', () => {
    const { headers } = webhookRequest({ url: 'https://x.example/', secret: null, nowMs: 0 }, HOSTILE);
    expect(headers).not.toHaveProperty('x-presage-signature');
  });
});

describe('a cut', () => {
  it('keeps whole characters, and what fits as it is', () => {
    expect([cutText('abc', 3), cutText('abcd', 3), cutText('a📈b', 3)]).toEqual(['abc', 'ab…', 'a…']);
    expect([cutBytes('äöü', 6), cutBytes('äöüx', 6)]).toEqual(['äöü', 'ä…']);
  });
});
