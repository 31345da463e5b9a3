// Runs one scenario once and prints its figures: each run has a process of its own, so that none inherits another's
// compiled code. The compiler's settings are the program's.
import { compileSoon, raiseInliningBudget } from '../../src/app/compiler-settings.ts';
import { scenariosIn } from './scenarios/all.ts';

const [file = '', name = ''] = process.argv.slice(2);
// The scenarios of commands that keep V8's own budget. `presage tape import` raises it.
const ownBudget = new Set(['studies', 'journal-replay', 'real-work', 'certify']);
if (!ownBudget.has(file) || name === 'import-gold') raiseInliningBudget();
// As `presage run` does, and only there: the naive client must not gain by it, either.
if (file === 'ticks' || file.startsWith('ticks-f') || file.startsWith('ticks-c') || file === 'feed') compileSoon();
const scenario = (await scenariosIn(file)).find((each) => each.name === name);
if (!scenario) throw new Error(`no scenario of ${file} is called ${name}`);
console.log(JSON.stringify(await scenario.run()));
process.exit(0);
