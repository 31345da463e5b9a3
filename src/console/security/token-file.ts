// The file of the console's tokens: one line for each person. Must never be read through a link, or when other users
// may read it. Must never print a token.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import type { z } from '@hono/zod-openapi';
import { makeFolder } from '../../log/make-folder.ts';
import { UsageError } from '../../app/usage-error.ts';
import { roleSchema } from '../api/api-schemas.ts';

export type Role = z.output<typeof roleSchema>;

/** A person or a program that may log in. */
export interface Person {
  readonly name: string;
  readonly role: Role;
}

/** A person, with the digest of the token. */
export interface TokenHolder extends Person {
  readonly digest: Buffer;
}

const TOKEN_BYTES = 32;
const FILE_BYTES_MAX = 100_000;
/** Mode bits that give the group or others any access. */
const OTHERS_MASK = 0o077;
/** Windows has no such flag. There, a link needs administrator rights. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const EXPECTED_LINE =
  'expected a name, a role (reader, operator or scrape) and a token of 43 to 200 letters, digits, - and _, found something else';
const LINE = /^([A-Za-z0-9_.@-]{1,64})\s+(reader|operator|scrape)\s+([A-Za-z0-9_-]{43,200})$/;

/** Returns the digest of a secret, for comparisons in constant time. */
export const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Returns a key that names the holder of a token, and is not the token. */
export const keyOfToken = (digest: Buffer): string =>
  digestOf(`bearer ${digest.toString('hex')}`).toString('base64url');

/** Makes a secret of 32 random bytes, as base64url text. */
export const makeSecret = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** The persons of a token file, and the faults of the lines that name none. */
interface ParsedTokens {
  readonly holders: readonly TokenHolder[];
  /** Each has the number of its line, and never its text. */
  readonly faults: readonly UsageError[];
}

/** Parses the text of a token file. Empty lines and lines that begin with `#` are left out. */
export function parseTokens(text: string, file: string): ParsedTokens {
  const holders: TokenHolder[] = [];
  const faults: UsageError[] = [];
  text.split('\n').forEach((raw, index) => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) return;
    const [, name = '', role, token = ''] = LINE.exec(line) ?? [];
    if (role === undefined) faults.push(new UsageError(`${file}:${index + 1}: ${EXPECTED_LINE}`));
    else holders.push({ name, role: roleSchema.parse(role), digest: digestOf(token) });
  });
  if (holders.length === 0 && faults.length === 0)
    faults.push(new UsageError(`${file}: expected at least one line of name, role and token, found none`));
  return { holders, faults };
}

/** Calls of a token file whose text has changed. */
export interface TokenFileHooks {
  /** Called after a change of the file: earlier logins must end. */
  readonly onChange: () => void;
  /** Called with what is wrong after a change of the file. The text holds no token. */
  readonly onFault: (message: string) => void;
}

/** The tokens of a file. A change of the file takes effect at the next request. */
export class TokenFile {
  readonly #file: string;
  readonly #hooks: TokenFileHooks;
  #version: string;
  #holders: readonly TokenHolder[];

  /**
   * Opens the file, and makes it when it does not exist.
   * @throws {UsageError} when the file cannot be used, or a line of it is wrong.
   */
  constructor(file: string, hooks: TokenFileHooks) {
    this.#file = file;
    this.#hooks = hooks;
    makeIfAbsent(file);
    const { version, text } = readOwnFile(file);
    this.#version = version;
    const { holders, faults } = parseTokens(text, file);
    const [fault] = faults;
    if (fault !== undefined) throw fault;
    this.#holders = holders;
  }

  /** Returns the first operator of the file; `null` when there is none. */
  firstOperator(): Person | null {
    return this.#present().find(({ role }) => role === 'operator') ?? null;
  }

  personOf(token: string): Person | null {
    const digest = digestOf(token);
    // Every line is compared, so that the time does not depend on the token.
    const found = this.#present().filter((holder) => timingSafeEqual(holder.digest, digest));
    const [first] = found;
    return first === undefined ? null : { name: first.name, role: first.role };
  }

  /** True while the file has the token of a key: a person's new token ends the streams of the earlier one. */
  hasKey(key: string): boolean {
    return this.#present().some(({ digest }) => keyOfToken(digest) === key);
  }

  checkForChange(): void {
    this.#present();
  }

  /** A file that can no longer be used lets no person in. A wrong line lets in the persons of the other lines. */
  #present(): readonly TokenHolder[] {
    const version = versionOf(this.#file);
    if (version === this.#version) return this.#holders;
    this.#version = version;
    const { holders, faults } = readTokens(this.#file);
    this.#holders = holders;
    this.#hooks.onChange();
    for (const { message } of faults) this.#hooks.onFault(message);
    return holders;
  }
}

function readTokens(file: string): ParsedTokens {
  try {
    return parseTokens(readOwnFile(file).text, file);
  } catch (fault) {
    const known = fault instanceof UsageError ? fault : new UsageError(`${file}: cannot be read: ${codeOf(fault)}`);
    return { holders: [], faults: [known] };
  }
}

function versionOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? '' : `${stat.ino} ${stat.mtimeNs} ${stat.size} ${stat.mode}`;
}

/** The file gets one operator: the user of this machine. */
function makeIfAbsent(file: string): void {
  try {
    makeFolder(dirname(file), 0o700);
    const fd = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW, 0o600);
    writeFileSync(fd, `${userName()} operator ${makeSecret()}\n`);
    closeSync(fd);
  } catch (fault) {
    if (codeOf(fault) !== 'EEXIST') throw new UsageError(`${file}: cannot be made: ${codeOf(fault)}`, { cause: fault });
  }
}

function userName(): string {
  try {
    const name = userInfo()
      .username.replaceAll(/[^A-Za-z0-9_.-]/g, '')
      .slice(0, 64);
    return name === '' ? 'operator' : name;
  } catch {
    return 'operator';
  }
}

/** Reads a file that only its owner can use. @throws {UsageError} when the file is not safe to use. */
function readOwnFile(file: string): { readonly text: string; readonly version: string } {
  const fd = openOwn(file);
  try {
    const stat = fstatSync(fd);
    const userId = process.getuid?.();
    if (!stat.isFile()) throw new UsageError(`${file}: expected a plain file, found something else`);
    if (stat.size > FILE_BYTES_MAX)
      throw new UsageError(`${file}: expected at most ${FILE_BYTES_MAX} bytes, found more`);
    if (userId !== undefined && (stat.mode & OTHERS_MASK) !== 0)
      throw new UsageError(
        `${file}: expected a file for its owner alone, found mode ${(stat.mode & 0o777).toString(8)} (chmod 600 it)`,
      );
    if (userId !== undefined && userId !== 0 && stat.uid !== userId)
      throw new UsageError(`${file}: expected a file of the user that runs this (${userId}), found one of ${stat.uid}`);
    return { text: readFileSync(fd, 'utf8'), version: versionOf(file) };
  } finally {
    closeSync(fd);
  }
}

function openOwn(file: string): number {
  try {
    return openSync(file, constants.O_RDONLY | NO_FOLLOW);
  } catch (fault) {
    const found = codeOf(fault) === 'ELOOP' ? 'a symbolic link' : codeOf(fault);
    throw new UsageError(`${file}: expected a plain file that can be read, found ${found}`, { cause: fault });
  }
}

const codeOf = (fault: unknown): string =>
  fault instanceof Error && 'code' in fault ? String(fault.code) : String(fault);
