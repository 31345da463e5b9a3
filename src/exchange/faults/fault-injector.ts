// The interface of fault injection. Faults of requests, feed messages and pings must never be injected anywhere else.
import type { Micros } from '../../domain/units.ts';
import type { Channel } from '../../venues/trade-api/wire/wire-records.ts';
import type { AccountName } from '../machine/exchange-input.ts';
import type { WireAnswer, WireRequest } from '../api/endpoint-call.ts';

/** A request that has reached the fault injector. */
export interface PendingRequest {
  readonly request: WireRequest;
  /** Account of the key that the request claims; `null` without a known key. */
  readonly account: AccountName | null;
  /**
   * Executes the request. When it is not called, the request never reaches the exchange. With a `lag` in microseconds,
   * a read is answered from an older state, if the session keeps a replica.
   */
  readonly execute: (lag?: Micros) => WireAnswer;
  /** Sends an answer; `null` drops the connection instead. Must be called once, now or later. */
  readonly send: (answer: WireAnswer | null) => void;
}

/** A feed ping that has reached the fault injector. */
export interface PendingPing {
  /** Number of the connection, from 1. */
  readonly connection: number;
  /** Sends the ping. When it is not called, the ping is lost. */
  readonly send: () => void;
}

/** A feed message that has reached the fault injector. */
export interface PendingFrame {
  readonly text: string;
  /** Channel of the message; `null` for a reply to a command. */
  readonly channel: Channel | null;
  readonly account: AccountName | null;
  /** Number of the connection, from 1. */
  readonly connection: number;
  /** Sends a text. When it is not called, the message is lost. */
  readonly send: (text: string) => void;
  /** Ends every subscription of the connection to a channel, with an error message. */
  readonly endChannel: (channel: Channel) => void;
  readonly closeWith: (code: number) => void;
  readonly terminate: () => void;
}

/** Passes on, changes or drops every request, message and ping. */
export interface FaultInjector {
  onRequest(passage: PendingRequest): void;
  onFrame(passage: PendingFrame): void;
  onPing(passage: PendingPing): void;
  onClosed(connection: number): void;
  /** The server's clock, for the date header and for the age of signatures. */
  clock(now: Micros): Micros;
}

/** Injects no faults. */
export const NO_FAULTS: FaultInjector = {
  onRequest: ({ execute, send }) => send(execute()),
  onFrame: ({ text, send }) => send(text),
  onPing: ({ send }) => send(),
  onClosed: () => undefined,
  clock: (now) => now,
};
