// What makes a project of a folder: package.json, tsconfig.json, and the words on how to go on.
import { OWN_PACKAGE } from '../../runtime/plugins/plugin-packages.ts';
import type { ScaffoldPlace } from './scaffold-place.ts';

/** `package.json` */
export const packageText = ({ name, versions }: ScaffoldPlace): string =>
  json({
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    // What a config names by `package:` once it is installed: types are taken out when it is loaded.
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

A strategy for Presage: begun with \`presage new-strategy\`, and yours to change.

| file               | what it is                                                  |
| ------------------ | ----------------------------------------------------------- |
| \`strategy.ts\`      | the strategy: its parameters, and what it answers to events |
| \`strategy.test.ts\` | what it does, seen on a stage                               |
| \`backtest.yaml\`    | the strategy over a recording                               |
| \`run.yaml\`         | the strategy on the exchange inside: no account, no network |

From ${place.isProject ? 'this' : 'the project’s'} folder:

\`\`\`sh
${commands(place).join('\n')}
\`\`\`
`;

/** What to type next, in the project's folder. */
export function commands({ isProject, inProject, installs }: ScaffoldPlace): string[] {
  const at = (file: string): string => (inProject === '' ? file : `${inProject}/${file}`);
  return [
    ...installs,
    `npx vitest run ${inProject}`.trim(),
    ...(isProject ? ['npx tsc --noEmit'] : []),
    `npx presage backtest --config ${at('backtest.yaml')}`,
    `npx presage certify ${at('strategy.ts')}`,
    `npx presage run --config ${at('run.yaml')} --for 30s`,
  ];
}

/** `vitest.config.ts` */
export const runnerText = (): string =>
  '// Nothing to say, but that no project around this one says it.\nexport default {};\n';

/** `.gitignore` */
export const ignoreText = (): string => 'node_modules/\nvar/\nreport.html\n';

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
