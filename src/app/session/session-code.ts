// The code of a session's strategies, each with the hash of what runs. Must never give the hash of a file as it is later:
// the file may be changed while the session runs.
import type { BotConfig } from '../../config/bot-config.ts';
import type { StrategyLoading } from '../../runtime/plugins/strategy-binding.ts';
import { StrategyFileError } from '../../runtime/plugins/strategy-file-error.ts';
import { hashStrategy, loadPlugin } from '../../runtime/plugins/strategy-loader.ts';
import { strategiesHash } from '../../runtime/stages/stage-of-config.ts';

/** The code of the strategies of one session. */
export class SessionCode {
  /** SHA-256 by file. Added when a file is read first; a session reads few files. */
  readonly #hashes = new Map<string, string>();

  /**
   * Hashes the code of a config's strategies, without running it.
   * @throws {StrategyFileError} when a file cannot be read.
   */
  async readHashes({ strategies }: Pick<BotConfig, 'strategies'>): Promise<void> {
    for (const { file } of strategies) this.#recordHash(file, await hashStrategy(file));
  }

  /** Loads a strategy. Refuses code that was changed since it was read first. */
  readonly load: StrategyLoading = async (file) =>
    (await loadPlugin(file, (sha256) => this.#recordHash(file, sha256))).strategy;

  #recordHash(file: string, sha256: string): void {
    const known = this.#hashes.get(file);
    if (known !== undefined && known !== sha256)
      throw new StrategyFileError(file, 'was changed while the session was starting: start it again');
    this.#hashes.set(file, sha256);
  }

  /** The SHA-256 of each file that was read. */
  get hashes(): ReadonlyMap<string, string> {
    return this.#hashes;
  }

  /** One hash of all the code, as the go-live stages compare it. */
  get hash(): string {
    return strategiesHash([...this.#hashes.values()]);
  }
}
