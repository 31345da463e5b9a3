// What the command line says of arguments that it cannot read. A misspelt option leaves the one that was meant out: then the
// misspelt one is named, not the missing one.
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { didYouMean } from '../../base/near-name.ts';

/** The text of an error of a command: where a required option is missing and another is not known, the latter. */
export function parseErrorText(command: CommandUnknownOpts, text: string): string {
  if (!text.startsWith('error: required option')) return text;
  const unknown = command.args.find((each) => /^--?[a-z]/i.test(each))?.replace(/=.*$/, '');
  if (unknown === undefined) return text;
  const known = [command, command.parent].flatMap((each) => each?.options.flatMap(({ long }) => long ?? []) ?? []);
  return `error: unknown option '${unknown}'${didYouMean(unknown, known)}\n`;
}
