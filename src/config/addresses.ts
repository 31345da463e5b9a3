// Which addresses may be spoken to in the clear: those of this very machine.
// Must never take a name for this machine's that another may answer to.
import { isIPv4 } from 'node:net';

const PLAINTEXT: ReadonlySet<string> = new Set(['http:', 'ws:']);

/** Whether what is sent to an address leaves this machine unencrypted. An address that is none does not. */
export function isExposed(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return PLAINTEXT.has(protocol) && !isLoopback(hostname);
}

/** The parser has written every form of an IPv4 address as four numbers. */
function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname === '[::1]') return true;
  return isIPv4(hostname) && hostname.startsWith('127.');
}
