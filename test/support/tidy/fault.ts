// The faults that the checker reports: where, what, and how to mend it. Every rule has its remedy in one table, so that
// no fault is printed without one.

const REMEDIES = {
  syntax: 'mend the syntax: nothing else in the file was checked',
  empty: 'run from the root of the project, where src/ is',
  'layer-import':
    'move the code to the layer that may see both, or pass the value in; imports lead one way only (src/README.md)',
  surface: "import what you need from 'presage-trading'; when it lacks something, add it to src/index.ts",
  siblings: 'move what both venues need to the left (domain, venue, transport); venues never import each other',
  cycle: 'move what both need into a file of its own that imports neither, types included',
  extension: "write the file's own name with its .ts ending",
  computed: 'import a literal path; only the strategy loader may import a computed one',
  lazy: 'import it at the top: a process must have all it needs before it trades or halts, whatever happens to its files later',
  'page-value': 'use `import type`: the schemas would bring a library of a hundred kilobytes into the page',
  markup: 'show text as text: make elements in JSX, which escapes what they hold',
  layer:
    'put the file in one of the layers of src/README.md, or add the layer there and to LAYERS in test/support/tidy/layers.ts',
  'pure-package': 'pass in what the package does from the edge; a pure file may use `import type` only',
  'pure-import': 'use `import type`, or move what is needed into a pure file; `import { type X }` still loads the file',
  'pure-await': 'return a command or an event and let the runtime do the waiting',
  'pure-global':
    'take the value from the event (`at`), the config or an injected function; pure code depends on its arguments alone',
  'function-length': 'split the function by what its parts are for',
  'file-length': 'split the file by responsibility; a table or schema says `tidy: table` in its header',
  parameters: 'take one options object whose members are named',
  nesting: 'return early, or give the inner block a function with a name',
  any: 'name the type, or use `unknown` and narrow it',
  'non-null': 'use must(value, what) of base/assert.ts, or narrow',
  as: 'narrow, or parse with a schema; where a schema has spoken, say so with a `tidy: as` comment on the line or above it',
  header: 'open with one to eight comment lines: what the file is for, what it must never do',
  name: 'use kebab-case: lower-case words joined by hyphens',
  'vague-name': 'name it after the thing it holds or does',
  marker: 'do it now, or open an issue and delete the remark',
  suppression: 'mend what the checker found; only tests may expect a type error',
  'default-export': 'export it by name',
  reader:
    'let config/ read it and pass the value in; to add a reader, list it in READERS in test/support/tidy/layers.ts',
  spelling: 'use the American spelling in names',
  'test-name': 'say what holds, in the present tense: `denies an order above the limit`',
  'banned-word': 'use the word of the field: docs/reference/glossary.md',
  'file-twin': 'name the file after what it alone holds: go-to-file must lead to one place',
  'class-twin': 'name the class after what it alone does: go-to-symbol must lead to one place',
  'common-method': 'say what the method acts on: `applyChange`, `onFill`, `readPage`',
  'crowded-folder':
    'split the folder by what its files are for; a folder of one kind is listed in FOLDERS_OF_ONE_KIND in test/support/tidy/layers.ts',
  only: 'remove `.only`, so that the other tests run',
} as const;

export type Rule = keyof typeof REMEDIES;

/** A breach of a rule. */
export interface Fault {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly rule: Rule;
  readonly what: string;
  readonly remedy: string;
}

/** Returns a fault with the remedy of its rule. */
export const fault = (at: { readonly file: string; readonly line: number }, rule: Rule, what: string): Fault => ({
  file: at.file,
  line: at.line,
  rule,
  what,
  remedy: REMEDIES[rule],
});

/** Formats a fault in one line. */
export const formatFault = (found: Fault): string =>
  `${found.file}:${found.line} ${found.what} (${found.rule}). Remedy: ${found.remedy}`;

export const RULES: readonly Rule[] = Object.keys(REMEDIES).filter((rule): rule is Rule => rule in REMEDIES);
