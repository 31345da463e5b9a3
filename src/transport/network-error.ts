// A failure of the network in words. Must never say more than its codes and messages do: no header, no body.

/** An error's code, where it has one, and its message. */
export function describeNetworkError(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  const message = messageOf(error);
  if (code === null || message.includes(code)) return message;
  return message === '' ? code : `${code}: ${message}`;
}

/** Its own message; of an error that only wraps others, theirs. */
function messageOf(error: Error): string {
  if (error.message !== '') return error.message;
  if (error instanceof AggregateError) return error.errors.map((one: unknown) => textOf(one)).join('; ');
  return error.cause instanceof Error ? error.cause.message : error.name;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
