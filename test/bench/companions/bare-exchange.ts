// The least that an exchange of signed orders can be: node:http, JSON.parse, the platform's verification on the event
// loop, and one answer for all. It keeps no order.
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type KeyObject, constants, createPublicKey, verify } from 'node:crypto';
import type { SigningScheme } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { endWithParent, tellParent } from '../companion.ts';
import { processorTime } from '../processor-time.ts';

interface Keys {
  readonly scheme: SigningScheme;
  readonly buyer: string;
  readonly seller: string;
}

const { headers } = serviceProfile.signing;
/** Node gives the names of headers in lower case. */
const NAMES = {
  key: headers.key.toLowerCase(),
  timestamp: headers.timestamp.toLowerCase(),
  signature: headers.signature.toLowerCase(),
};
const ANSWER = JSON.stringify({ order: { order_id: 'order', status: 'executed', text: 'x'.repeat(400) } });

endWithParent();
process.once('message', ({ scheme, buyer, seller }: Keys) => {
  const keys = new Map([
    ['buyer', createPublicKey(buyer)],
    ['seller', createPublicKey(seller)],
  ]);
  open((id, text, signature) => {
    const key = keys.get(id);
    return key !== undefined && isSigned(scheme, { key, text, signature });
  });
});
tellParent({ markets: 10 });

type Check = (id: string, text: string, signature: Buffer) => boolean;

interface Signed {
  readonly key: KeyObject;
  readonly text: string;
  readonly signature: Buffer;
}

function isSigned(scheme: SigningScheme, { key, text, signature }: Signed): boolean {
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const saltLength = constants.RSA_PSS_SALTLEN_AUTO;
  if (scheme === 'rsa-pss-sha256') return verify('sha256', Buffer.from(text), { key, padding, saltLength }, signature);
  return verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, signature);
}

/** Starts the server; afterwards it answers any message with the number of orders and its processor time. */
function open(check: Check): void {
  let orders = 0;
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse, body: string): void => {
    const { method, url } = incoming;
    const [id, timestamp, signature] = [NAMES.key, NAMES.timestamp, NAMES.signature].map((name) =>
      String(incoming.headers[name]),
    );
    const isValid = check(id ?? '', `${timestamp}${method}${url}`, Buffer.from(signature ?? '', 'base64'));
    if (isValid && typeof JSON.parse(body) === 'object') orders += 1;
    outgoing.writeHead(isValid ? 201 : 401, { 'Content-Type': 'application/json', 'Content-Length': ANSWER.length });
    outgoing.end(ANSWER);
  };
  // A pause in which orders are signed must not end the connections.
  const server = createServer({ keepAliveTimeout: 120_000 }, (incoming, outgoing) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (part: string) => (body += part));
    incoming.on('end', () => answer(incoming, outgoing, body));
  });
  process.on('message', () => tellParent({ fills: orders, time: processorTime() }));
  server.listen(0, '127.0.0.1', () =>
    tellParent({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
  );
}
