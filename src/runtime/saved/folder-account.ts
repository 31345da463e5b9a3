// The account to which a data folder belongs: its losses, ledgers and saved state must never count for another. Must never
// hold a key or its id: the key of an account may change.
import { z } from 'zod';
import { isLoopback } from '../../config/addresses.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import { type Storage, StorageFault } from '../../tape/journal/storage.ts';
import type { WireProfile } from '../../venues/trade-api/profiles/wire-profile.ts';
import { environmentOf } from '../stages/venue-environment.ts';

const ACCOUNT_FILE = 'account.json';
/** The venue's name in the file for every embedded exchange, whose profile may change. */
const EMBEDDED = 'embedded';

const accountSchema = z.strictObject({
  /** The profile's name, or `embedded`. */
  venue: z.string().min(1),
  /** The environment of the venue; the host of any other exchange; the account's name on an embedded exchange. */
  place: z.string().min(1),
  subaccount: z.int().min(0),
});

/** An account at a venue. */
export type FolderAccount = z.output<typeof accountSchema>;

/** Returns the account of a config, or `null` without a key: then nothing trades. */
export function accountOf(venue: BotConfig['venue'], profile: WireProfile): FolderAccount | null {
  const { embedded, account, key, url, subaccount = 0 } = venue;
  if (embedded !== undefined && account !== undefined) return { venue: EMBEDDED, place: account, subaccount };
  if (key === undefined) return null;
  return { venue: profile.name, place: environmentOf(venue, profile) ?? hostOf(url ?? ''), subaccount };
}

/** Exchanges on this machine change their ports, and go by several names. */
function hostOf(url: string): string {
  const { hostname } = new URL(url);
  return isLoopback(hostname) ? 'localhost' : hostname;
}

/**
 * Refuses a data folder in which sessions of another account have run.
 * @throws {StorageFault} which names both accounts, or says that the file cannot be read.
 */
export function refuseOtherAccount(storage: Storage, account: FolderAccount): void {
  const saved = readAccount(storage);
  if (saved === null || isSame(saved, account)) return;
  throw new StorageFault(
    storage.path,
    `expected the data folder of ${textOf(account)}, found that of ${textOf(saved)}. Losses, ledgers and saved state of one ` +
      `account must not count for another: give each account a dataFolder of its own. If none has traded here, remove ${ACCOUNT_FILE}`,
  );
}

/** Records the account of the first session. */
export function recordAccount(storage: Storage, account: FolderAccount): void {
  if (storage.listFiles().includes(ACCOUNT_FILE)) return;
  storage.replaceFile(ACCOUNT_FILE, new TextEncoder().encode(`${JSON.stringify(account)}\n`));
}

function readAccount(storage: Storage): FolderAccount | null {
  if (!storage.listFiles().includes(ACCOUNT_FILE)) return null;
  const text = new TextDecoder().decode(storage.readBytes(ACCOUNT_FILE, 0, storage.sizeOf(ACCOUNT_FILE)));
  const parsed = accountSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new StorageFault(
    `${storage.path}/${ACCOUNT_FILE}`,
    `expected an account, such as {"venue":"kalshi","place":"demo","subaccount":0}, found ${JSON.stringify(text.slice(0, 100))}. ` +
      'Repair it, or remove it if the folder is that of the config’s account',
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isSame = (one: FolderAccount, other: FolderAccount): boolean =>
  one.venue === other.venue && one.place === other.place && one.subaccount === other.subaccount;

function textOf({ venue, place, subaccount }: FolderAccount): string {
  const where = venue === EMBEDDED ? `account ${place} of an embedded exchange` : `the account at ${venue}, ${place}`;
  return subaccount === 0 ? where : `${where}, subaccount ${subaccount}`;
}
