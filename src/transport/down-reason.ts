// The reasons why a WebSocket connection ended, as types and as text. Must never contain a header of the handshake.

/** The reason why a connection ended. */
export type DownReason =
  /** The venue answered the handshake with something other than an upgrade. */
  | { readonly type: 'refused'; readonly status: number; readonly retryAfterMs: number | null; readonly body: string }
  | { readonly type: 'unreachable'; readonly detail: string }
  | { readonly type: 'handshake-timeout'; readonly timeoutMs: number }
  | { readonly type: 'headers-failed'; readonly detail: string }
  /** No byte arrived, not even the answer to a ping. */
  | { readonly type: 'silent'; readonly silenceMs: number }
  | { readonly type: 'closed'; readonly code: number; readonly text: string }
  | { readonly type: 'broken'; readonly detail: string }
  /** The send buffer was full. */
  | { readonly type: 'overflow'; readonly bufferedBytes: number }
  | { readonly type: 'stopped' };

/** A reason as text. */
export function describeDownReason(reason: DownReason): string {
  switch (reason.type) {
    case 'refused':
      return `handshake refused with status ${reason.status}${waitText(reason)}${reason.body === '' ? '' : `: ${reason.body}`}`;
    case 'unreachable':
      return `unreachable: ${reason.detail}`;
    case 'handshake-timeout':
      return `no handshake within ${reason.timeoutMs} ms`;
    case 'headers-failed':
      return `handshake headers could not be made: ${reason.detail}`;
    case 'silent':
      return `silent for ${reason.silenceMs} ms, ping unanswered`;
    case 'closed':
      return `closed by the venue with code ${reason.code}${reason.text === '' ? '' : `: ${reason.text}`}`;
    case 'broken':
      return `broken: ${reason.detail}`;
    case 'overflow':
      return `${reason.bufferedBytes} bytes were waiting to be sent`;
    case 'stopped':
      return 'stopped by us';
  }
}

const waitText = ({ retryAfterMs }: Extract<DownReason, { type: 'refused' }>): string =>
  retryAfterMs === null ? '' : `, which asks for a wait of ${retryAfterMs / 1000} s`;
