// An address to listen at, as a config or a command line writes it. Must never accept a host name other than
// `localhost`: a name server may point it elsewhere.
import { isIP } from 'node:net';

/** Host and port to listen at. */
export interface ListenAddress {
  /** IP address, or `localhost`. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
}

export const PORT_MAX = 65_535;

/**
 * Parses an address. Returns `null` for any other text.
 *
 * @example
 * parseListenAddress('127.0.0.1:9464'); // { host: '127.0.0.1', port: 9464 }
 */
export function parseListenAddress(text: string): ListenAddress | null {
  const match = /^(?:\[(?<ip6>[\da-fA-F:.]+)\]|(?<name>[^:[\]]+)):(?<port>\d{1,5})$/.exec(text);
  const host = match?.groups?.['ip6'] ?? match?.groups?.['name'] ?? '';
  const port = Number(match?.groups?.['port']);
  if (match === null || port > PORT_MAX) return null;
  return host === 'localhost' || isIP(host) !== 0 ? { host, port } : null;
}

/** True when only programs on this machine can reach the address. */
export const isLoopback = ({ host }: ListenAddress): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
