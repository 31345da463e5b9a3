// The hashed text of a decision is the canonical JSON of its command, whatever its members hold.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { decisionText } from '../../backtest/decision-text.ts';
import { clientOrderId, strategyName, ticker, venueOrderId } from '../../src/domain/ids.ts';
import { micros, price, qty } from '../../src/domain/units.ts';
import type { AmendCommand, CancelCommand, Command, PlaceCommand } from '../../src/domain/venue-command.ts';
import { canonicalJson } from '../../src/tape/format/canonical-json.ts';
import { M0 } from '../support/engine/builders.ts';

type Values<Record> = { readonly [Name in keyof Record]-?: fc.Arbitrary<Record[Name]> };

const time = fc.nat({ max: 4_000_000_000_000_000 }).map(micros);
/** Texts with quotes, control characters, unpaired surrogates and others that JSON escapes. */
const text = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.constant('"\ud800\n'),
);

const sent = {
  id: fc.nat(),
  createdAt: time,
  validUntil: fc.option(time),
  clientOrderId: text.map(clientOrderId),
  ticker: text.map(ticker),
};
// A member that is added to a command does not compile without a value here.
const place: Values<PlaceCommand> = {
  type: fc.constant('place'),
  lane: fc.constantFrom('new', 'reduce'),
  ...sent,
  strategy: text.map(strategyName),
  market: fc.constant(M0),
  side: fc.constantFrom('buy', 'sell'),
  price: fc.nat({ max: 10_000 }).map(price),
  qty: fc.nat().map(qty),
  timeInForce: fc.constantFrom('gtc', 'gtd', 'ioc', 'fok'),
  postOnly: fc.boolean(),
  reduceOnly: fc.boolean(),
  expiresAt: fc.option(time),
};
const cancel: Values<CancelCommand> = {
  type: fc.constant('cancel'),
  lane: fc.constant('cancel'),
  ...sent,
  venueOrderId: text.map(venueOrderId),
};
const amend: Values<AmendCommand> = {
  type: fc.constant('amend'),
  lane: fc.constantFrom('new', 'reduce'),
  ...sent,
  venueOrderId: text.map(venueOrderId),
  side: fc.constantFrom('buy', 'sell'),
  price: fc.nat({ max: 10_000 }).map(price),
  qty: fc.nat().map(qty),
};
const reconnect = fc.record({
  type: fc.constant('reconnect' as const),
  lane: fc.constant('read' as const),
  id: fc.nat(),
  createdAt: time,
  validUntil: fc.constant(null),
  reason: text,
});

it('is the canonical JSON of the command', () => {
  const command: fc.Arbitrary<Command> = fc.oneof(fc.record(place), fc.record(cancel), fc.record(amend), reconnect);
  fc.assert(
    fc.property(command, (each) => {
      expect(decisionText(each)).toBe(canonicalJson(each));
    }),
  );
});
