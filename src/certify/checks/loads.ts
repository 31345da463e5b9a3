// That the strategy could be loaded and made with its parameters at all: who comes here has done both.
import { HANDLER_NAMES } from '../../strategy/handler-names.ts';
import type { Check } from '../check.ts';
import { bindSubject } from '../trial.ts';

export const loadsCheck: Check = {
  name: 'loads',
  meaning: 'compiles, is a strategy, takes its params',
  run({ subject }) {
    const { handlers, keeping } = bindSubject(subject);
    const own = HANDLER_NAMES.filter((name) => typeof handlers[name] === 'function');
    const listens = own.length === 0 ? 'listens to nothing' : own.join(', ');
    const words = `${subject.strategy.name}: ${listens}${keeping === undefined ? '' : '; keeps state'}`;
    return { check: 'loads', isPassed: true, words, remedy: null, stream: null };
  },
};
