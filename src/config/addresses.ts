// Finds addresses that need encryption: those of other machines. Must never accept a name that another machine may
// answer to.
import { isIPv4 } from 'node:net';

const PLAINTEXT: ReadonlySet<string> = new Set(['http:', 'ws:']);

/** Data sent to the address leaves this machine unencrypted. False for an invalid address. */
export function isUnencryptedRemote(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return PLAINTEXT.has(protocol) && !isLoopback(hostname);
}

/**
 * The host, as the URL parser returns it, is this machine. The parser has normalized every form of an IPv4 address to four
 * numbers.
 */
export function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname === '[::1]') return true;
  return isIPv4(hostname) && hostname.startsWith('127.');
}
