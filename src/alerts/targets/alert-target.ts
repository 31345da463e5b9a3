// A target that is ready for messages, with its secrets. Must never put a secret into an outcome or its words.
import type { TargetConfig } from '../../config/alerts-config.ts';
import type { DeliveryOutcome } from '../queue/alert-queue.ts';
import type { TargetPolicy } from '../queue/target-lane.ts';
import type { AlertRecord } from '../record/alert-record.ts';
import { cleanLine, cutText } from '../record/alert-text.ts';
import { runCommand } from './command-run.ts';
import { type PostOutcome, postOnce } from './http-post.ts';
import { hideSecretValues, readAddress, readSecret } from './secret-values.ts';
import { outcomeOf } from './target-answers.ts';
import {
  type TargetRequest,
  discordRequest,
  ntfyRequest,
  slackRequest,
  telegramRequest,
  webhookRequest,
} from './target-messages.ts';

/** The outcome of a message, and the receiver's answer. */
export interface SendResult {
  readonly outcome: DeliveryOutcome;
  /** The answer for people, without secrets. */
  readonly words: string;
}

/** A target that messages can be sent to. */
export interface AlertTarget {
  readonly policy: TargetPolicy;
  readonly type: TargetConfig['type'];
  /** Host of the receiver; `null` for a command. */
  readonly origin: string | null;
  /** Sends one message, once. Never rejects. */
  send(record: AlertRecord): Promise<SendResult>;
}

/** Longest answer that is shown. Characters. */
const SHOWN_MAX = 200;

/**
 * Reads the secrets of a target.
 * @throws {SecretFault} when a secret cannot be used.
 */
export function openTarget(config: TargetConfig, now: () => number = Date.now): AlertTarget {
  const { name, severity, quiet = null, type } = config;
  const policy = { name, severity, quiet };
  if (config.type === 'command') {
    const send = (record: AlertRecord): Promise<SendResult> => sendToCommand(config.command, record);
    return { policy, type, origin: null, send };
  }
  const { address, secrets, makeRequest } = openReceiver(config, now);
  const send = async (record: AlertRecord): Promise<SendResult> =>
    resultOf(type, await postOnce(makeRequest(record)), secrets);
  return { policy, type, origin: new URL(address).origin, send };
}

interface Receiver {
  readonly address: string;
  readonly secrets: readonly string[];
  readonly makeRequest: (record: AlertRecord) => TargetRequest;
}

function openReceiver(config: Exclude<TargetConfig, { type: 'command' }>, now: () => number): Receiver {
  switch (config.type) {
    case 'webhook': {
      const address = readAddress(config.url);
      const secret = config.secret === undefined ? null : readSecret(config.secret);
      const secrets = [
        ...(typeof config.url === 'string' ? [] : addressSecrets(address)),
        ...(secret === null ? [] : [secret]),
      ];
      return {
        address,
        secrets,
        makeRequest: (record) => webhookRequest({ url: address, secret, nowMs: now() }, record),
      };
    }
    case 'slack':
    case 'discord': {
      const address = readAddress(config.webhook);
      const request = config.type === 'slack' ? slackRequest : discordRequest;
      return { address, secrets: addressSecrets(address), makeRequest: (record) => request(address, record) };
    }
    case 'telegram': {
      const { url, chat } = config;
      const token = readSecret(config.token);
      return { address: url, secrets: [token], makeRequest: (record) => telegramRequest({ url, token, chat }, record) };
    }
    case 'ntfy': {
      const { url } = config;
      const topic = readSecret(config.topic);
      const token = config.token === undefined ? null : readSecret(config.token);
      const secrets = token === null ? [topic] : [topic, token];
      return { address: url, secrets, makeRequest: (record) => ntfyRequest({ url, topic, token }, record) };
    }
  }
}

/** A part of a path from this length on is a token, and no word such as `services`. Characters. */
const TOKEN_MIN = 16;

/** The path and the query of an address identify a webhook: they are secret, too, and so is each token in them. */
function addressSecrets(address: string): string[] {
  const { pathname, search, searchParams, href } = new URL(address);
  const parts = pathname.split('/').filter((part) => part !== '');
  const tokens = parts.filter((part, place) => part.length >= TOKEN_MIN || place === parts.length - 1);
  const whole = [pathname === '/' ? '' : pathname, search].filter((text) => text !== '');
  return [address, href, ...whole, ...tokens, ...searchParams.values()];
}

function resultOf(type: TargetConfig['type'], answer: PostOutcome, secrets: readonly string[]): SendResult {
  if (answer.type === 'unanswered')
    return { outcome: { type: 'failed', afterMs: null }, words: hideSecretValues(answer.reason, secrets) };
  const { status, body } = answer;
  const redirect = status >= 300 && status < 400 ? ': a redirect, which is not followed' : '';
  const text = cutText(cleanLine(hideSecretValues(body, secrets)), SHOWN_MAX);
  return { outcome: outcomeOf(type, answer), words: `${status}${redirect}${text === '' ? '' : `: ${text}`}` };
}

async function sendToCommand(command: readonly string[], record: AlertRecord): Promise<SendResult> {
  const { problem } = await runCommand(command, `${JSON.stringify(record)}\n`);
  if (problem === null) return { outcome: { type: 'sent' }, words: 'exit code 0' };
  return { outcome: { type: 'failed', afterMs: null }, words: problem };
}
