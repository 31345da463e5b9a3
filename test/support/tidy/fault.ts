// What the house rules say when one is broken: where, what, and how to mend it.
// Every kind of fault has its remedy in one table, so that no fault is ever printed without one.

const REMEDIES = {
  syntax: 'mend the syntax: nothing else in the file was checked',
  empty: 'run from the root of the project, where src/ is',
  door: 'move the code to the room that may see both, or pass the value in; doors lead one way only (src/README.md)',
  surface: "import what you need from 'presage-trading'; when it lacks something, add it to src/index.ts",
  siblings: 'move what both venues need to the left (domain, venue, transport); venues never import each other',
  cycle: 'move what both need into a file of its own that imports neither, types included',
  extension: "write the file's own name with its .ts ending",
  computed: 'import a literal path; only the strategy loader may import what it is told',
  lazy: 'import it at the top: a process must have all it needs before it trades or halts, whatever happens to its files later',
  room: 'put the file in one of the rooms of src/README.md, or add the room there and to ROOMS in test/support/tidy/rooms.ts',
  'pure-package': 'pass in what the package does from the edge; a pure file may use `import type` only',
  'pure-import': 'use `import type`, or move what is needed into a pure file; `import { type X }` still loads the file',
  'pure-await': 'return a command or an event and let the runtime do the waiting',
  'pure-global':
    'take the value from the event (`at`), the config or an injected function; pure code asks the world nothing',
  'function-length': 'split the function by what its parts are for',
  'file-length': 'split the file by responsibility; a table or schema says `tidy: table` in its header',
  parameters: 'take one options object whose members are named',
  nesting: 'return early, or give the inner block a function with a name',
  any: 'name the type, or use `unknown` and narrow it',
  'non-null': 'use must(value, what) of domain/assert.ts, or narrow',
  as: 'narrow, or parse with a schema; where a schema has spoken, say so with a `tidy: as` comment on the line or above it',
  header: 'open with one to five comment lines: what the file is for, what it must never do',
  name: 'use kebab-case: lower-case words joined by hyphens',
  'vague-name': 'name it after the thing it holds or does',
  marker: 'do it now, or open an issue and delete the remark',
  suppression: 'mend what the checker found; only tests may expect a type error',
  'default-export': 'export it by name',
  reader:
    'let config/ read it and pass the value in; to add a reader, list it in READERS in test/support/tidy/rooms.ts',
  spelling: 'use the American spelling in names',
  'test-name': 'say what holds, in the present tense: `denies an order above the limit`',
  only: 'remove `.only`, so that the other tests run',
} as const;

export type Rule = keyof typeof REMEDIES;

/** A broken house rule. */
export interface Fault {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly rule: Rule;
  readonly what: string;
  readonly remedy: string;
}

/** A fault with the remedy of its rule. */
export const fault = (at: { readonly file: string; readonly line: number }, rule: Rule, what: string): Fault => ({
  file: at.file,
  line: at.line,
  rule,
  what,
  remedy: REMEDIES[rule],
});

/** One fault in one line. */
export const formatFault = (found: Fault): string =>
  `${found.file}:${found.line} ${found.what} (${found.rule}). Remedy: ${found.remedy}`;

export const RULES: readonly Rule[] = Object.keys(REMEDIES).filter((rule): rule is Rule => rule in REMEDIES);
