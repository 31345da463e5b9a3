// Files around a new strategy: package.json and the like, a README with the next steps, and .gitignore.
import { OWN_PACKAGE } from '../../runtime/plugins/plugin-packages.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { ScaffoldPlace } from './scaffold-place.ts';

/** `package.json` */
export const packageText = ({ name, versions }: ScaffoldPlace): string =>
  json({
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    // A config names the installed package by `package:`. Presage removes the types when it loads the file.
    exports: './strategy.ts',
    files: ['strategy.ts'],
    scripts: {
      test: 'vitest run',
      typecheck: 'tsc --noEmit',
      backtest: 'presage backtest --config backtest.yaml',
      run: 'presage run --config run.yaml --for 30s',
      certify: 'presage certify strategy.ts',
    },
    dependencies: { [OWN_PACKAGE]: versions[OWN_PACKAGE] },
    devDependencies: { typescript: versions.typescript, vitest: versions.vitest },
  });

/** `tsconfig.json` */
export const tsconfigText = (): string =>
  json({
    compilerOptions: {
      target: 'es2023',
      module: 'nodenext',
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      verbatimModuleSyntax: true,
      erasableSyntaxOnly: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      noEmit: true,
      types: [],
    },
    include: ['*.ts'],
  });

/** `README.md` */
export const readmeText = (place: ScaffoldPlace): string => `\
# ${place.name}

A strategy for Presage, made with \`presage new-strategy\`, and yours to change.

| file               | content                                                     |
| ------------------ | ----------------------------------------------------------- |
| \`strategy.ts\`      | the strategy: its parameters, and its reactions to events   |
| \`strategy.test.ts\` | tests of the strategy on a stage                            |
| \`backtest.yaml\`    | a backtest over a recording                                 |
| \`run.yaml\`         | a run on the embedded exchange: no account, no network      |

From ${place.isProject ? 'this' : 'the project’s'} folder:

\`\`\`sh
${commands(place).join('\n')}
\`\`\`
`;

/** Returns the next commands to type in the project's folder. */
export function commands({ isProject, inProject, installs }: ScaffoldPlace): string[] {
  const at = (file: string): string => shellWord(inProject === '' ? file : `${inProject}/${file}`);
  return [
    ...installs,
    `npx vitest run${inProject === '' ? '' : ` ${shellWord(inProject)}`}`,
    ...(isProject ? ['npx tsc --noEmit'] : []),
    `npx presage backtest --config ${at('backtest.yaml')}`,
    `npx presage certify ${at('strategy.ts')}`,
    `npx presage run --config ${at('run.yaml')} --for 30s`,
  ];
}

/** `vitest.config.ts` */
export const runnerText = (): string =>
  '// Empty, so that no configuration of a project around this one applies.\nexport default {};\n';

/** `.gitignore` */
export const ignoreText = (): string => 'node_modules/\nvar/\nreport.html\n';

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
