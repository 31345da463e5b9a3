// The command of a terminal in place of a control of the page. Words in capitals are for the person to fill in.
import { shellWord } from '../../../base/shell-word.ts';
import type { Action } from '../../api/api-schemas.ts';

/** Returns the command. A paper session shares its config with a live bot, which the command would control without `--paper`. */
export function terminalLine({ kind, scope }: Pick<Action, 'kind' | 'scope'>, isPaper: boolean): string {
  const options = ['--config FILE', ...(isPaper ? ['--paper'] : []), ...optionsOf(kind, scope)];
  return `presage ${kind} ${options.join(' ')}`;
}

function optionsOf(kind: Action['kind'], scope: string): readonly string[] {
  const strategy = scope.replace(/^strategy /, '');
  const scoped = scope === 'account' ? [] : [`--scope ${shellWord(scope.replace(' ', '='))}`];
  switch (kind) {
    case 'halt':
    case 'cancel-all':
      return scoped;
    case 'resume':
      return [...scoped, '--reason TEXT'];
    case 'flatten':
      return [];
    case 'override':
      return [
        ...(scope === 'account' ? [] : [`--strategy ${shellWord(strategy)}`]),
        '--limit NAME --value VALUE --for 15m --reason TEXT',
      ];
  }
}
