// Answers with a promise, which is rejected later.
import { defineStrategy, z } from 'presage-trading';

export default defineStrategy({
  name: 'answers-later',
  params: z.strictObject({}),
  setup: () => ({
    onBook: () => Promise.reject(new Error('no such page')) as never,
  }),
});
