// The schema of the console's settings. The file is separate from a bot's config, because a console serves several
// bots. Must never allow plain connections from other machines without a named proxy.
import { dirname, resolve } from 'node:path';
import { isIP } from 'node:net';
import { z } from 'zod';
import { readYaml } from './yaml.ts';

const HOST = /^(?:\[[0-9a-f:]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i;

/** The value of the header `Host`, such as `localhost:8765` or `bots.example.net`. */
const hostField = z.string().regex(HOST, { error: 'a host with its port, such as localhost:8765' });

/** An address, or a range of addresses such as `172.16.0.0/12`. */
const peerField = z.string().refine(isAddressRange, { error: 'an address or a range such as 172.16.0.0/12' });

function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

/** Listening address of the console. */
export type ListenAddress =
  | { readonly type: 'tcp'; readonly host: string; readonly port: number }
  | { readonly type: 'unix'; readonly path: string };

/**
 * Parses an address such as `127.0.0.1:8765`, `[::1]:0` or `unix:/run/console.sock`. Returns `null` for any other text.
 */
export function parseListen(text: string): ListenAddress | null {
  if (text.startsWith('unix:')) return text.length > 5 ? { type: 'unix', path: text.slice(5) } : null;
  const [, v6, other, digits] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = v6 ?? other;
  if (host === undefined || Number(digits) > 65_535 || (v6 !== undefined && isIP(v6) !== 6)) return null;
  if (v6 === undefined && isIP(host) !== 4 && host !== 'localhost') return null;
  return { type: 'tcp', host, port: Number(digits) };
}

/** Only programs on this machine can connect. */
export function isLoopbackListen(listen: ListenAddress): boolean {
  if (listen.type === 'unix') return true;
  const { host } = listen;
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

const listenField = z.string().transform((text, context): ListenAddress => {
  const parsed = parseListen(text);
  if (parsed !== null) return parsed;
  context.addIssue({ code: 'custom', message: 'an address such as 127.0.0.1:8765 or unix:/run/console.sock' });
  return z.NEVER;
});

/** Default address. */
export const LISTEN = '127.0.0.1:8765';

/** The whole file. */
export const consoleConfigSchema = z
  .strictObject({
    /** Address: `HOST:PORT` with a number for the host, or `unix:PATH`. */
    listen: listenField.prefault(LISTEN),
    /** Further accepted values of the header `Host`, such as for a forwarded port. */
    hosts: z.array(hostField).max(20).default([]),
    /** Serves HTTPS with this certificate and key, as PEM files. Relative to the file. */
    tls: z.strictObject({ cert: z.string().min(1), key: z.string().min(1) }).optional(),
    /** A proxy in front of the console. Only the proxy may connect. */
    behindProxy: z
      .strictObject({
        /** The host by which browsers reach the proxy. */
        host: hostField,
        /** Scheme by which browsers reach the proxy. */
        scheme: z.enum(['https', 'http']).default('https'),
        /** Addresses of the proxy. Its header `X-Forwarded-For` is used for the audit. */
        trusted: z.array(peerField).min(1).max(20),
      })
      .optional(),
    /** File of the tokens: a line `NAME ROLE TOKEN` for each person. Relative to the file. */
    tokenFile: z.string().min(1).optional(),
  })
  .superRefine(({ listen, tls, behindProxy }, context) => {
    if (tls !== undefined && behindProxy !== undefined)
      context.addIssue({ code: 'custom', path: ['tls'], message: 'one of tls and behindProxy' });
    if (isLoopbackListen(listen) || tls !== undefined || behindProxy !== undefined) return;
    const message = 'an address of this machine alone, such as 127.0.0.1:8765, unless tls or behindProxy is set';
    context.addIssue({ code: 'custom', path: ['listen'], message });
  });

/** The console's settings. */
export type ConsoleConfig = z.output<typeof consoleConfigSchema>;

/** The settings without a file. */
export const consoleDefaults = (): ConsoleConfig => consoleConfigSchema.parse({});

/**
 * Reads the settings. Paths become absolute.
 * @throws {ConfigError} when the file cannot be used.
 */
export function readConsoleConfig(file: string): ConsoleConfig {
  const config = readYaml(file, consoleConfigSchema);
  const folder = dirname(resolve(file));
  const { tls, tokenFile } = config;
  return {
    ...config,
    ...(tls && { tls: { cert: resolve(folder, tls.cert), key: resolve(folder, tls.key) } }),
    ...(tokenFile !== undefined && { tokenFile: resolve(folder, tokenFile) }),
  };
}
