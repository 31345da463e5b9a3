// Describes in words the value that a schema expected. Must load no reader of YAML: the parameters in a journal are checked
// against schemas, too.
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** Describes in words the value that a schema expected. */
export function expectationOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return EXPECTED[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return issue.values.length === 1
        ? String(issue.values[0])
        : `one of ${issue.values.map((value) => String(value)).join(', ')}`;
    case 'too_small':
      return `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unitOf(issue.origin, issue.minimum)}`;
    case 'too_big':
      return `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${unitOf(issue.origin, issue.maximum)}`;
    case 'invalid_union':
      return unionText(issue);
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`;
    // Our own checks put the expectation into their message.
    case 'custom':
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_key':
    case 'unrecognized_keys':
      return withoutInvalid(issue.message);
  }
}

/** Turns a message of zod's own, such as `Invalid string: must start with "a"`, into what was expected. */
function withoutInvalid(message: string): string {
  if (message === NO_MESSAGE) return 'a value that its schema accepts';
  return message.replace(/^Invalid string: must /, 'a text that must ').replace(/^Invalid (?=\S)/, 'a valid ');
}

/** The values that a schema would have taken, where it takes only some. */
export function choicesOf(issue: Issue): readonly unknown[] {
  if (issue.code === 'invalid_value') return issue.values;
  if (issue.code !== 'invalid_union') return [];
  // For a discriminated union, the values of the discriminator.
  if ('options' in issue && Array.isArray(issue.options)) return issue.options;
  return issue.errors
    .flat()
    .filter(({ path }) => path.length === 0)
    .flatMap(choicesOf);
}

/** Zod's message for a union without a message of ours. */
const NO_MESSAGE = 'Invalid input';

function unionText(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  const choices = issue.errors.length === 0 ? choicesOf(issue) : [];
  if (choices.length > 0) return `one of ${choices.map(String).join(', ')}`;
  if (issue.message !== NO_MESSAGE) return issue.message;
  return issue.errors.flatMap((form) => form.slice(0, 1).map(expectationOf)).join(', or ');
}

const EXPECTED: Readonly<Record<string, string>> = {
  object: 'a mapping of fields',
  record: 'a mapping of fields',
  array: 'a list',
  tuple: 'a list',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

/** The unit of a bound, in the singular for one. */
function unitOf(origin: string, bound: number | bigint): string {
  if (origin === 'string') return bound === 1 ? ' character' : ' characters';
  if (origin === 'array') return bound === 1 ? ' entry' : ' entries';
  return '';
}
