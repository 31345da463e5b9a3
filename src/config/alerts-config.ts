// The schema of `alerts:` in a bot's config: the targets of messages to people, and the heartbeat for an outside
// service. Must never hold a secret: only the place of a secret.
import { resolve } from 'node:path';
import { z } from 'zod';
import { intervalField, nameField, scalarField } from './fields.ts';
import { absolutePlace, addressField, plainAddress, secretField } from './secret-field.ts';

/** Severities of an alert, the lowest first. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const;

/** Name of the heartbeat among the targets of `presage alerts test`. No target may have it. */
export const HEARTBEAT = 'heartbeat';

/** Severity of an alert. */
export type Severity = (typeof SEVERITIES)[number];

/** Minutes after midnight. */
const timeOfDay = scalarField('a time of day such as 22:30', (text): number | null => {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  return match === null ? null : Number(match[1]) * 60 + Number(match[2]);
});

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const quietSchema = z
  .strictObject({
    /** Beginning of the quiet hours, in the zone's own time. */
    from: timeOfDay,
    /** End of the quiet hours. A time before `from` is on the next day. */
    to: timeOfDay,
    /** IANA name of the time zone, such as `Europe/Berlin`. Summer time is observed. */
    zone: z.string().refine(isTimeZone, { error: 'an IANA time zone such as Europe/Berlin or UTC' }),
  })
  .refine(({ from, to }) => from !== to, { error: 'a time other than from', path: ['to'] });

/** Quiet hours of a target. */
export type QuietHours = z.output<typeof quietSchema>;

const TARGET = {
  /** Name of the target in logs and for `presage alerts test --target`. Unique in this file, and not `heartbeat`. */
  name: nameField,
  /** Lowest severity that is sent. */
  severity: z.enum(SEVERITIES).default('warning'),
  /** Hours in which `info` and `warning` wait for a digest at their end. `critical` is always sent. */
  quiet: quietSchema.optional(),
};

const targetSchema = z.discriminatedUnion('type', [
  /** Any program that receives each record as JSON. */
  z.strictObject({
    type: z.literal('webhook'),
    ...TARGET,
    /** Address that receives each record as JSON. */
    url: addressField,
    /** Key of the signature in `X-Presage-Signature`. Without a key, nothing is signed. */
    secret: secretField.optional(),
  }),
  /** An incoming webhook of Slack. */
  z.strictObject({
    type: z.literal('slack'),
    ...TARGET,
    /** Address of the incoming webhook. It is a secret. */
    webhook: secretField,
  }),
  /** A webhook of a Discord channel. */
  z.strictObject({
    type: z.literal('discord'),
    ...TARGET,
    /** Address of the channel's webhook. It is a secret. */
    webhook: secretField,
  }),
  /** A Telegram bot. */
  z.strictObject({
    type: z.literal('telegram'),
    ...TARGET,
    /** Token of the bot. */
    token: secretField,
    /** Id of the chat, or `@` and the name of a channel. */
    chat: scalarField('the id of a chat such as -1001234567890, or @channel', (text) =>
      /^(?:-?\d{1,20}|@\w{1,64})$/.test(text) ? text : null,
    ),
    /** Address of the Bot API. */
    url: plainAddress.default('https://api.telegram.org'),
  }),
  /** A topic of ntfy. */
  z.strictObject({
    type: z.literal('ntfy'),
    ...TARGET,
    /** The topic. Its name is its password. */
    topic: secretField,
    /** Access token, where the server requires a token. */
    token: secretField.optional(),
    /** Address of the server. */
    url: plainAddress.default('https://ntfy.sh'),
  }),
  /** A program on this machine. */
  z.strictObject({
    type: z.literal('command'),
    ...TARGET,
    /**
     * Program and arguments, started without a shell and with an empty environment. The record comes on standard input.
     * A path with a slash is relative to the config.
     */
    command: z.array(z.string().min(1)).min(1).max(32),
  }),
]);

/** One target of a config. */
export type TargetConfig = z.output<typeof targetSchema>;

const heartbeatSchema = z.strictObject({
  /** Address of the outside service. It is usually a secret. */
  url: addressField,
  /** Time between two heartbeats while the session trades. */
  every: intervalField.prefault('1m'),
  /**
   * Query in place of the paths `/start`, `/fail` and `/<exit code>`, for services with the state as a parameter:
   * `{status}` is `up` or `down`, `{message}` the phase, `{equity}` dollars.
   */
  template: z
    .string()
    .max(500)
    .regex(/^\?(?:[^{}]|\{(?:status|message|equity)\})*$/, {
      error: 'a query that begins with ?, and names only {status}, {message} and {equity}',
    })
    .optional(),
});

/** The heartbeat of a config. */
export type HeartbeatConfig = z.output<typeof heartbeatSchema>;

/** The section `alerts`. */
export const alertsSchema = z
  .strictObject({
    /** Targets of the messages. */
    targets: z.array(targetSchema).max(20).default([]),
    /** Signs of life for a service outside of this machine. Only such a service can report that the machine is gone. */
    heartbeat: heartbeatSchema.optional(),
    /** Address of the console, for a link in each message. */
    link: plainAddress.optional(),
    /** A warning is sent when the disk of the data folder has less free space. */
    diskMegabytesMin: z.int().min(1).max(100_000_000).default(1000),
  })
  .superRefine(({ targets }, issues) => {
    const names = targets.map(({ name }) => name);
    names.forEach((name, index) => {
      const path = ['targets', index, 'name'];
      if (name === HEARTBEAT)
        issues.addIssue({ code: 'custom', path, message: `a name other than ${HEARTBEAT}, that of alerts.heartbeat` });
      if (names.indexOf(name) === index) return;
      issues.addIssue({ code: 'custom', path, message: 'a name not used before' });
    });
  });

/** The section `alerts`, with its defaults. */
export type AlertsConfig = z.output<typeof alertsSchema>;

/** Returns the section with absolute paths. */
export function withAbsolutePlaces({ targets, heartbeat, ...rest }: AlertsConfig, folder: string): AlertsConfig {
  return {
    ...rest,
    targets: targets.map((target) => withAbsoluteTarget(target, folder)),
    ...(heartbeat && { heartbeat: { ...heartbeat, url: absoluteAddress(heartbeat.url, folder) } }),
  };
}

/** Returns the names of the environment variables that hold secrets of the section. */
export const secretVariables = ({ targets, heartbeat }: AlertsConfig): string[] =>
  [...targets, heartbeat].flatMap((each) => Object.values(each ?? {})).flatMap(variableOf);

const variableOf = (member: unknown): string[] => {
  const { data } = secretField.safeParse(member);
  return data !== undefined && 'environment' in data ? [data.environment] : [];
};

function withAbsoluteTarget(target: TargetConfig, folder: string): TargetConfig {
  switch (target.type) {
    case 'webhook': {
      const { secret, url } = target;
      return {
        ...target,
        url: absoluteAddress(url, folder),
        ...(secret && { secret: absolutePlace(secret, folder) }),
      };
    }
    case 'slack':
    case 'discord':
      return { ...target, webhook: absolutePlace(target.webhook, folder) };
    case 'telegram':
      return { ...target, token: absolutePlace(target.token, folder) };
    case 'ntfy': {
      const { topic, token } = target;
      return {
        ...target,
        topic: absolutePlace(topic, folder),
        ...(token && { token: absolutePlace(token, folder) }),
      };
    }
    case 'command': {
      const [program = '', ...args] = target.command;
      return { ...target, command: [program.includes('/') ? resolve(folder, program) : program, ...args] };
    }
  }
}

type Address = HeartbeatConfig['url'];

const absoluteAddress = (address: Address, folder: string): Address =>
  typeof address === 'string' ? address : absolutePlace(address, folder);
