// The package's version, read from its package.json. Must never be written anywhere else.
import { createRequire } from 'node:module';
import { z } from 'zod';

export const { version } = z
  .object({ version: z.string() })
  .parse(createRequire(import.meta.url)('presage-trading/package.json'));
