// Path of the recordings of the real exchange, beside the repository. Tests skip when the folder is absent.
import { fileURLToPath } from 'node:url';

export const RECORDINGS = fileURLToPath(new URL('../../../../shared/data/', import.meta.url));
