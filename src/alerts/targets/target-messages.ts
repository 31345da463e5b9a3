// Makes the request that each service expects. A title or reason is shown as it is. Must never use a service's markup.
// Sources: docs.slack.dev (incoming webhooks, block kit), discord.com/developers (execute webhook, message limits),
// core.telegram.org/bots/api (sendMessage), docs.ntfy.sh/publish (publish as JSON).
import { createHmac } from 'node:crypto';
import type { Severity } from '../../config/alerts-config.ts';
import type { AlertRecord } from '../record/alert-record.ts';
import { bodyOf, cutBytes, cutText, headlineOf, wholeText } from '../record/alert-text.ts';

/** One request to a target. */
export interface TargetRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

/** Longest text of a section in Slack. UTF-16 units. */
export const SLACK_TEXT_MAX = 3000;

/** A message for an incoming webhook of Slack. */
export function slackRequest(url: string, record: AlertRecord): TargetRequest {
  const text = cutText(wholeText(record), SLACK_TEXT_MAX);
  const section = { type: 'section', text: { type: 'plain_text', text, emoji: false } };
  // Unlike the block, the notification is markup: a ticker must not address a channel.
  const notification = cutText(headlineOf(record), SLACK_TEXT_MAX / 2).replaceAll(/[&<>]/g, escapeSlack);
  return { url, headers: JSON_HEADERS, body: JSON.stringify({ text: notification, blocks: [section] }) };
}

const escapeSlack = (character: string): string => (character === '&' ? '&amp;' : character === '<' ? '&lt;' : '&gt;');

/** Longest title of an embed in Discord. `DISCORD_TEXT_MAX`: the longest description. UTF-16 units. */
export const DISCORD_TITLE_MAX = 256;
export const DISCORD_TEXT_MAX = 4096;

const DISCORD_COLORS: Readonly<Record<Severity, number>> = { info: 0x4c78a8, warning: 0xe0a030, critical: 0xc0392b };

/** A message for a webhook of Discord. */
export function discordRequest(url: string, record: AlertRecord): TargetRequest {
  const embed = {
    title: cutEscaped(headlineOf(record), DISCORD_TITLE_MAX),
    description: cutEscaped(bodyOf(record), DISCORD_TEXT_MAX),
    color: DISCORD_COLORS[record.severity],
    timestamp: record.at,
  };
  const body = { content: '', embeds: [embed], allowed_mentions: { parse: [] } };
  return { url, headers: JSON_HEADERS, body: JSON.stringify(body) };
}

/** Never cuts between a backslash and its character. */
function cutEscaped(text: string, unitsMax: number): string {
  const escaped = text.replaceAll(/[\\*_~`|>[\]()#<@:]/g, String.raw`\$&`);
  if (escaped.length <= unitsMax) return escaped;
  const cut = cutText(escaped, unitsMax).slice(0, -1);
  const trailing = /\\*$/.exec(cut)?.[0].length ?? 0;
  return `${trailing % 2 === 1 ? cut.slice(0, -1) : cut}…`;
}

/** Longest text of a message in Telegram. UTF-16 units. */
export const TELEGRAM_TEXT_MAX = 4096;

/** A message for a chat of Telegram. The token is in the address: it must never be logged. */
export function telegramRequest(
  { url, token, chat }: { readonly url: string; readonly token: string; readonly chat: string },
  record: AlertRecord,
): TargetRequest {
  const body = {
    chat_id: chat,
    text: cutText(wholeText(record), TELEGRAM_TEXT_MAX),
    disable_notification: record.severity === 'info',
    link_preview_options: { is_disabled: true },
  };
  return { url: `${withoutSlash(url)}/bot${token}/sendMessage`, headers: JSON_HEADERS, body: JSON.stringify(body) };
}

/** Longest message of ntfy: a longer message becomes a file. Bytes. */
export const NTFY_MESSAGE_MAX = 4096;
const NTFY_TITLE_MAX = 250;

const NTFY_PRIORITIES: Readonly<Record<Severity, number>> = { info: 2, warning: 4, critical: 5 };
const NTFY_TAGS: Readonly<Record<Severity, string>> = {
  info: 'information_source',
  warning: 'warning',
  critical: 'rotating_light',
};

/** A message for a topic of ntfy. It goes to the server's root, with the topic in the body. */
export function ntfyRequest(
  { url, topic, token }: { readonly url: string; readonly topic: string; readonly token: string | null },
  record: AlertRecord,
): TargetRequest {
  const { severity, state, link } = record;
  const body = {
    topic,
    title: cutBytes(headlineOf(record), NTFY_TITLE_MAX),
    message: cutBytes(bodyOf(record), NTFY_MESSAGE_MAX),
    priority: state === 'over' ? 3 : NTFY_PRIORITIES[severity],
    tags: [state === 'over' ? 'white_check_mark' : NTFY_TAGS[severity]],
    ...(link !== null && { click: link }),
  };
  const headers = { ...JSON_HEADERS, ...(token !== null && { authorization: `Bearer ${token}` }) };
  return { url: `${withoutSlash(url)}/`, headers, body: JSON.stringify(body) };
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** The record itself, for a webhook of any program. With a key, time and body are signed. */
export function webhookRequest(
  { url, secret, nowMs }: { readonly url: string; readonly secret: string | null; readonly nowMs: number },
  record: AlertRecord,
): TargetRequest {
  const body = JSON.stringify(record);
  const timestamp = String(Math.floor(nowMs / 1000));
  const signature = secret === null ? {} : { 'x-presage-signature': signatureOf(secret, `${timestamp}.${body}`) };
  return { url, headers: { ...JSON_HEADERS, 'x-presage-timestamp': timestamp, ...signature }, body };
}

/** `sha256=` and HMAC-SHA256 in hexadecimal. */
export const signatureOf = (secret: string, text: string): string =>
  `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
