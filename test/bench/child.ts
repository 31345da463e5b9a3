// Runs one scenario once and prints its figures: each run has a process of its own, so that none inherits another's
// compiled code.
import { scenarios } from './scenarios/all.ts';

const name = process.argv[2] ?? '';
const scenario = scenarios.find((each) => each.name === name);
if (!scenario) throw new Error(`no scenario is called ${name}`);
console.log(JSON.stringify(await scenario.run()));
process.exit(0);
