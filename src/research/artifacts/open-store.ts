// Opens the store that `--store` names: a bucket, or a folder.
import type { ArtifactStore } from './artifact-store.ts';
import { FolderStore } from './folder-store.ts';
import { S3Store, type StoreEnvironment, s3StoreOptions } from './s3-store.ts';

/**
 * Opens a store.
 * @param place `s3://bucket/prefix`, or a folder.
 * @throws {UsageError} when the place or its credentials cannot be used.
 */
export const openArtifactStore = (place: string, environment: StoreEnvironment): ArtifactStore =>
  place.startsWith('s3://') ? new S3Store(s3StoreOptions(place, environment)) : new FolderStore(place);
