// Checks which layer imports from which, types and values alike, and that no imports form a cycle.
import type { Fault } from './fault.ts';
import { type Import, type Module, faultsOf, isTest, resolve } from './module.ts';
import {
  CLOSED_TO_BACKTEST,
  OPEN_TO_BACKTEST,
  PAGE_IMPORTS,
  isPage,
  layerOf,
  mayImportComputed,
  mayImportLazily,
  rankOf,
} from './layers.ts';

/** True for files of the program that the page may import for their types only. */
const isServerOnly = (specifier: string): boolean => /^(?:\.\.\/)+(?:api|runtime|why)\//.test(specifier);

type Verdict = { readonly rule: 'layer-import' | 'surface' | 'siblings'; readonly what: string } | null;

/** Returns every import that its layer may not make, and every import that cannot be followed. */
export function checkLayerImports(module: Module): Fault[] {
  const at = faultsOf(module);
  const found: Fault[] = [];
  if (module.file.startsWith('src/') && rankOf(layerOf(module.file)) < 0)
    found.push(at(0, 'layer', `there is no layer named ${layerOf(module.file)}`));
  for (const each of module.imports) {
    if (each.specifier === null) {
      if (!mayImportComputed(module.file))
        found.push(at(each.start, 'computed', 'imports a path computed at run time'));
      continue;
    }
    if (each.specifier.startsWith('.') && !/\.(tsx?|json)$|\/scripts\/[^/]+\.js$/.test(each.specifier))
      found.push(at(each.start, 'extension', `imports ${each.specifier}`));
    if (isPage(module.file) && !each.isType && isServerOnly(each.specifier))
      found.push(at(each.start, 'page-value', `the page loads ${each.specifier}`));
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
  if (isTest(to)) return { rule: 'layer-import', what: `imports ${to}, which is a test's` };
  return from.startsWith('backtest/') ? judgeBacktest(to) : judgeSource(from, to, specifier);
}

function judgeBacktest(to: string): Verdict {
  const layer = layerOf(to);
  return CLOSED_TO_BACKTEST.has(layer) ? { rule: 'layer-import', what: `backtest imports ${to}, of ${layer}` } : null;
}

function judgeSource(from: string, to: string, specifier: string): Verdict {
  const layer = layerOf(from);
  if (specifier === 'presage-trading')
    return { rule: 'layer-import', what: `${layer} imports 'presage-trading', its own public surface, by name` };
  if (to.startsWith('strategies/')) return { rule: 'layer-import', what: `${layer} imports the strategy ${to}` };
  if (to.startsWith('backtest/'))
    return OPEN_TO_BACKTEST.has(layer) ? null : { rule: 'layer-import', what: `${layer} imports ${to}` };
  const target = layerOf(to);
  if (isPage(from) && !isPage(to) && !PAGE_IMPORTS.test(to))
    return { rule: 'layer-import', what: `the page imports ${to}, which is not for a browser` };
  if (!isPage(from) && isPage(to)) return { rule: 'layer-import', what: `imports ${to}, which needs a browser` };
  if (layer === target) return judgeVenues(from, to);
  if (rankOf(target) < rankOf(layer)) return null;
  return { rule: 'layer-import', what: `${layer} imports ${to}, but ${target} is not to its left` };
}

function judgeVenues(from: string, to: string): Verdict {
  if (layerOf(from) !== 'venues') return null;
  const [, , own, deeper] = from.split('/');
  const [, , other, otherDeeper] = to.split('/');
  if (deeper === undefined || otherDeeper === undefined || own === other) return null;
  return { rule: 'siblings', what: `the venue ${own} imports ${to}, of the venue ${other}` };
}

/** Returns every cycle of imports once, at the import that closes it. */
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
