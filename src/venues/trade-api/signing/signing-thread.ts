// The program of the thread that signs. Must never send anything but signatures, nor show the reason of a failure: it may
// describe the key.
import type { KeyObject } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import type { Signing, SigningScheme } from '../profiles/wire-profile.ts';
import { WARMING_SIGNATURES, createSigner } from './signers.ts';

/** The data with which the thread starts. */
export interface SigningThreadData {
  readonly signing: Signing;
  readonly scheme: SigningScheme;
  readonly key: KeyObject;
}

/** A request to the thread: its number, and the text to sign. */
export type SignatureRequest = readonly [id: number, text: string];
/** The answer of the thread: the number of the request, and the signature; `null` when it could not be made. */
export type SignatureAnswer = readonly [id: number, signature: string | null];

// tidy: as — `ThreadSigner` is the only starter of this thread.
const { signing, scheme, key } = workerData as SigningThreadData;
const sign = createSigner(signing, { scheme, object: key });

async function answer([id, text]: SignatureRequest): Promise<SignatureAnswer> {
  try {
    return [id, await sign(text)];
  } catch {
    return [id, null];
  }
}

for (let count = 0; count < WARMING_SIGNATURES; count++) await sign(`warming ${count}`);
parentPort?.on('message', (request: SignatureRequest) => {
  // The empty list of transfers distinguishes this from the method of a window, which needs an origin.
  void answer(request).then((made) => parentPort?.postMessage(made, []));
});
