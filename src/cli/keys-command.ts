// `presage keys`: makes key pairs that sign requests. Must never print a private key.
import { dirname, resolve } from 'node:path';
import { Command, Option } from '@commander-js/extra-typings';
import { makeFolder } from '../log/make-folder.ts';
import { KEY_SCHEMES } from '../config/exchange-config.ts';
import { generateKeyPair, writeKeyPair } from '../venues/trade-api/signing/key-files.ts';

/** Creates the command. */
export function keysCommand() {
  const generate = new Command('generate')
    .description('Make a key pair: FILE for its owner alone (mode 600), FILE.pub for the exchange.')
    .requiredOption('--out <file>', 'where the private key goes; never overwritten')
    .addOption(
      new Option('--scheme <scheme>', 'what it signs with').choices(KEY_SCHEMES).default('ecdsa-p256' as const),
    )
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  presage keys generate --out var/demo.pem')
    .action((options) => {
      const file = resolve(options.out);
      makeFolder(dirname(file));
      const { privateFile, publicFile } = writeKeyPair(file, generateKeyPair(options.scheme));
      const { scheme } = options;
      process.stdout.write(
        options.json
          ? `${JSON.stringify({ scheme, privateFile, publicFile })}\n`
          : `private key (${scheme}): ${privateFile}\npublic key: ${publicFile}\n`,
      );
    });
  return new Command('keys').addCommand(generate);
}
