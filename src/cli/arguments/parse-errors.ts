// Messages for arguments that cannot be parsed.
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { didYouMean } from '../../base/near-name.ts';

/**
 * Returns the message of a parse error. A misspelled option may leave a required option missing: the message then names
 * the misspelled option.
 */
export function parseErrorText(command: CommandUnknownOpts, text: string): string {
  if (!text.startsWith('error: required option')) return text;
  const unknown = command.args.find((each) => /^--?[a-z]/i.test(each))?.replace(/=.*$/, '');
  if (unknown === undefined) return text;
  const known = [command, command.parent].flatMap((each) => each?.options.flatMap(({ long }) => long ?? []) ?? []);
  return `error: unknown option '${unknown}'${didYouMean(unknown, known)}\n`;
}
