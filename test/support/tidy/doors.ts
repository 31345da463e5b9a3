// The doors: which room may import from which, types and values alike. Also that no import leads around in a circle.
import type { Fault } from './fault.ts';
import { type Import, type Module, faultsOf, isTest, resolve } from './module.ts';
import { CLOSED_TO_BACKTEST, OPEN_TO_BACKTEST, mayImportComputed, mayImportLazily, rankOf, roomOf } from './rooms.ts';

type Verdict = { readonly rule: 'door' | 'surface' | 'siblings'; readonly what: string } | null;

/** Every import that goes through a wrong door, and every import that cannot be followed. */
export function checkDoors(module: Module): Fault[] {
  const at = faultsOf(module);
  const found: Fault[] = [];
  if (module.file.startsWith('src/') && rankOf(roomOf(module.file)) < 0)
    found.push(at(0, 'room', `the house has no room named ${roomOf(module.file)}`));
  for (const each of module.imports) {
    if (each.specifier === null) {
      if (!mayImportComputed(module.file))
        found.push(at(each.start, 'computed', 'imports a path computed at run time'));
      continue;
    }
    if (each.specifier.startsWith('.') && !/\.(ts|json)$|\/scripts\/[^/]+\.js$/.test(each.specifier))
      found.push(at(each.start, 'extension', `imports ${each.specifier}`));
    if (each.isLazy && !mayImportLazily(module.file))
      found.push(at(each.start, 'lazy', `loads ${each.specifier} when it needs it`));
    const verdict = judge(module.file, each.specifier);
    if (verdict) found.push(at(each.start, verdict.rule, verdict.what));
  }
  return found;
}

function judge(from: string, specifier: string): Verdict {
  if (isTest(from)) return null;
  if (from.startsWith('strategies/'))
    return specifier === 'presage-trading' ? null : { rule: 'surface', what: `a strategy imports ${specifier}` };
  const to = resolve(from, specifier);
  if (to === null) return null;
  if (isTest(to)) return { rule: 'door', what: `imports ${to}, which is a test's` };
  return from.startsWith('backtest/') ? judgeBacktest(to) : judgeHouse(from, to, specifier);
}

function judgeBacktest(to: string): Verdict {
  const room = roomOf(to);
  return CLOSED_TO_BACKTEST.has(room) ? { rule: 'door', what: `backtest imports ${to}, of ${room}` } : null;
}

function judgeHouse(from: string, to: string, specifier: string): Verdict {
  const room = roomOf(from);
  if (specifier === 'presage-trading')
    return { rule: 'door', what: `${room} imports 'presage-trading', its own public surface, by name` };
  if (to.startsWith('strategies/')) return { rule: 'door', what: `${room} imports the strategy ${to}` };
  if (to.startsWith('backtest/'))
    return OPEN_TO_BACKTEST.has(room) ? null : { rule: 'door', what: `${room} imports ${to}` };
  const target = roomOf(to);
  if (room === target) return judgeVenues(from, to);
  if (rankOf(target) < rankOf(room)) return null;
  return { rule: 'door', what: `${room} imports ${to}, but ${target} is not to its left` };
}

function judgeVenues(from: string, to: string): Verdict {
  if (roomOf(from) !== 'venues') return null;
  const [, , own, deeper] = from.split('/');
  const [, , other, otherDeeper] = to.split('/');
  if (deeper === undefined || otherDeeper === undefined || own === other) return null;
  return { rule: 'siblings', what: `the venue ${own} imports ${to}, of the venue ${other}` };
}

/** Every circle of imports, once, told at the import that closes it. */
export function checkCycles(modules: readonly Module[]): Fault[] {
  const byFile = new Map(modules.map((module) => [module.file, module]));
  const done = new Set<string>();
  const found: Fault[] = [];
  const follow = (module: Module, path: readonly string[]): void => {
    const trail = [...path, module.file];
    for (const [each, target] of targetsOf(module, byFile)) {
      const loopFrom = trail.indexOf(target.file);
      if (loopFrom >= 0) {
        const loop = [...trail.slice(loopFrom), target.file].join(' → ');
        found.push(faultsOf(module)(each.start, 'cycle', `imports run in a circle: ${loop}`));
      } else if (!done.has(target.file)) follow(target, trail);
    }
    done.add(module.file);
  };
  for (const module of modules) if (!done.has(module.file)) follow(module, []);
  return found;
}

function targetsOf(module: Module, byFile: ReadonlyMap<string, Module>): [Import, Module][] {
  return module.imports.flatMap((each): [Import, Module][] => {
    const to = each.specifier === null ? null : resolve(module.file, each.specifier);
    const target = to === null ? undefined : byFile.get(to);
    return target ? [[each, target]] : [];
  });
}
