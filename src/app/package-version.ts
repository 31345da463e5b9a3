// The package's version, as its own package.json says. Must never be written down a second time.
import { createRequire } from 'node:module';
import { z } from 'zod';

export const { version } = z
  .object({ version: z.string() })
  .parse(createRequire(import.meta.url)('presage-trading/package.json'));
