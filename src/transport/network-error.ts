// Describes a network failure as text. Must never contain a header or a body.

/** An error's code, if any, and its message. */
export function describeNetworkError(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  const message = messageOf(error);
  if (code === null || message.includes(code)) return message;
  return message === '' ? code : `${code}: ${message}`;
}

/** The error's own message. Without one: the messages of the wrapped errors, or the error's name. */
function messageOf(error: Error): string {
  if (error.message !== '') return error.message;
  if (error instanceof AggregateError) return error.errors.map((part: unknown) => textOf(part)).join('; ');
  return error.cause instanceof Error ? error.cause.message : error.name;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
