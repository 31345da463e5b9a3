// Reports that the strategy loads and accepts its parameters. Both have happened before this check runs.
import { HANDLER_NAMES } from '../../strategy/handler-names.ts';
import type { StrategyCheck } from '../strategy-check.ts';
import { bindSubject } from '../runs/trial.ts';

export const loadsCheck: StrategyCheck = {
  name: 'loads',
  meaning: 'compiles, is a strategy, takes its params',
  runCheck({ subject }) {
    const { handlers, persistence } = bindSubject(subject);
    const handled = HANDLER_NAMES.filter((name) => typeof handlers[name] === 'function');
    const handledText = handled.length === 0 ? 'handles no event' : handled.join(', ');
    const words = `${subject.strategy.name}: ${handledText}${persistence === undefined ? '' : '; saves state'}`;
    return { check: 'loads', isPassed: true, words, remedy: null, stream: null };
  },
};
