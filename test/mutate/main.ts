// `npm run mutate`: plants one bug after another and shows which test notices it.
// Must never pass when a bug survives, or when the source no longer has the text that a bug replaces.
import { parseArgs } from 'node:util';
import { MUTATIONS, type Mutation, ROOMS } from './mutations.ts';
import { type MutationResult, runMutation, simulateMutation } from './run.ts';

const HELP = `npm run mutate -- [--room ROOM] [--match TEXT] [--simulate] [--list] [--json]

Plants one bug at a time into the sources and runs the tests of its room against it. A bug that no test notices
has survived: the room lacks a test. Sources on disk are not changed. About ten seconds a bug.

  --room ROOM   only the bugs of one room: ${Object.keys(ROOMS).join(', ')}
  --match TEXT  only the bugs whose file or description contains TEXT
  --simulate    run 60 seeds of the simulation against each bug instead of the tests
  --list        print the bugs and run nothing
  --json        print the results as JSON

The list of bugs is test/mutate/mutations.ts. The simulation has its own planted bugs: npm run simulate -- --plants.

Exit code: 0 every bug is noticed; 1 a bug survives; 2 the command is wrong.`;

const options = readOptions();
if (options.help) {
  console.log(HELP);
  process.exit(0);
}
process.exitCode = await run(chosen());

async function run(mutations: readonly Mutation[]): Promise<number> {
  if (options.list) {
    if (options.json) console.log(JSON.stringify(mutations, null, 2));
    else for (const { room, file, name } of mutations) console.log(`${room.padEnd(10)} ${file.padEnd(36)} ${name}`);
    return 0;
  }
  const results: MutationResult[] = [];
  for (const mutation of mutations) {
    const result = await (options.simulate ? simulateMutation(mutation) : runMutation(mutation));
    results.push(result);
    if (!options.json) console.log(lineOf(result, `${results.length}/${mutations.length}`));
  }
  const survivors = results.filter(({ isNoticed }) => !isNoticed);
  if (options.json) console.log(JSON.stringify(results, null, 2));
  else console.log(`\n${results.length - survivors.length} of ${results.length} bugs are noticed`);
  return survivors.length === 0 ? 0 : 1;
}

function lineOf(result: MutationResult, place: string): string {
  const { file, name } = result.mutation;
  const by = result.isNoticed ? `${result.where}: ${result.by}` : 'NO TEST NOTICES IT';
  return `${place.padStart(7)} ${file}: ${name}\n        ${by}`;
}

function chosen(): readonly Mutation[] {
  const { room, match = '' } = options;
  if (room !== undefined && !Object.hasOwn(ROOMS, room))
    fail(`--room: expected one of ${Object.keys(ROOMS).join(', ')}, found ${room}`);
  const mutations = MUTATIONS.filter(
    (mutation) => (room === undefined || mutation.room === room) && `${mutation.file} ${mutation.name}`.includes(match),
  );
  if (mutations.length === 0) fail(`--match: no bug in the list contains ${match}`);
  return mutations;
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        room: { type: 'string' },
        match: { type: 'string' },
        simulate: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (fault) {
    return fail(fault instanceof Error ? fault.message : String(fault));
  }
}

function fail(why: string): never {
  console.error(`mutate: ${why}; see --help`);
  process.exit(2);
}
