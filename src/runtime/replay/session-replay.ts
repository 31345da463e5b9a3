// Runs the engine again from a journal and compares its commands with the recorded ones, as JSON. The first difference
// ends the session's replay: everything after it would only repeat that difference. Must never connect to anything: the
// tape is the only input.
import { type Command, type RequestCommand, isFeedCommand } from '../../domain/venue-command.ts';
import type { EngineEvent } from '../../domain/event.ts';
import type { Micros } from '../../domain/units.ts';
import { Engine } from '../../engine.ts';
import type { Observer } from '../../execution/engine-notice.ts';
import type { BoundStrategy } from '../../strategy/strategy-definition.ts';
import { canonicalJson } from '../../tape/format/canonical-json.ts';
import { commandsOf, inputOf } from '../../tape/format/input-lines.ts';
import { SpannedFrame } from '../../tape/format/spanned-frame.ts';
import type { Entry, EntryKind } from '../../tape/format/tape-line.ts';
import type { Input, Normalizer } from '../../venue.ts';
import type { ReplaySetup } from './session-manifest.ts';
import { engineOptions } from '../session/engine-setup.ts';

/** The first place where a replay deviates from its recording. */
export interface SessionDifference {
  /**
   * Number of the tape's entry with the expected commands. Without such an entry, the difference lies before the entry
   * with this number.
   */
  readonly seq: number;
  readonly at: Micros;
  readonly file: string;
  readonly line: number;
  /** The entry of the last input before the difference; `null` before the first input. */
  readonly input: { readonly seq: number; readonly kind: EntryKind } | null;
  /** The commands on the tape, as JSON; `null` when the tape has none. */
  readonly expected: string | null;
  /** The commands of the replay as JSON, or the fault that ended it; `null` when the replay has neither. */
  readonly got: string | null;
}

export interface SessionReplayOptions extends ReplaySetup {
  readonly strategies: readonly BoundStrategy[];
  readonly observe?: Observer;
  /** Called with the time of each event, just before the engine handles it. */
  readonly beforeEvent?: (at: Micros) => void;
  /** Called with each event after the engine has handled it. */
  readonly afterEvent?: (event: EngineEvent) => void;
}

/** Replays one session, an entry at a time. */
export class SessionReplay {
  readonly engine: Engine;
  readonly #normalizer: Normalizer;
  readonly #requests = new Map<number, RequestCommand>();
  /** Commands of the engine whose entry on the tape has not been reached yet, and their JSON: one for each step. */
  readonly #pendingCommands: { readonly text: string; readonly commands: readonly Command[] }[] = [];
  /** Number and kind of the last input's entry. */
  #inputSeq = 0;
  #inputKind: EntryKind | null = null;
  readonly #frame = new SpannedFrame();
  #fault: unknown = null;
  readonly #passing: ((at: Micros) => void) | null;
  readonly #passed: ((event: EngineEvent) => void) | null;
  /** Number of inputs replayed. `commands` counts the commands that were equal. */
  inputs = 0;
  commands = 0;

  constructor({ observe = () => undefined, beforeEvent, afterEvent, ...parts }: SessionReplayOptions) {
    const { config, venue, hasKey, strategies } = parts;
    this.#passing = beforeEvent ?? null;
    this.#passed = afterEvent ?? null;
    this.engine = new Engine(engineOptions({ config, venue, hasKey, strategies, observe }));
    this.#normalizer = venue.normalizer;
  }

  /** The fault that ended the replay, or `null`. If the tape continues after the fault, that is a difference. */
  get fault(): unknown {
    return this.#fault;
  }

  /**
   * Replays the next entry of the session. The entry has to stay valid during the call.
   * @returns the difference found at this entry, or `null`. After a difference the replay is over.
   * @throws {TapeFault} when the entry cannot be read.
   */
  replayEntry(entry: Entry): SessionDifference | null {
    if (entry.kind === 'segment' || entry.kind === 'notices') return null;
    if (entry.kind === 'commands') return this.#compare(entry);
    const missing = this.#pendingCommands[0]?.text ?? null;
    if (missing !== null) return this.#difference(entry, null, missing);
    if (entry.kind === 'end') return null;
    if (this.#fault !== null) return this.#difference(entry, null, faultText(this.#fault));
    this.#handle(entry);
    return null;
  }

  #handle(entry: Entry): void {
    const input = this.#inputOf(entry);
    if (input === null) return;
    this.inputs += 1;
    this.#inputSeq = entry.seq;
    this.#inputKind = entry.kind;
    if (input.type === 'answer') this.#requests.delete(input.command.id);
    try {
      this.#feed(input);
    } catch (fault) {
      this.#fault = fault;
    }
  }

  #inputOf(entry: Entry): Input | null {
    const { span } = entry;
    if (entry.kind === 'frame' && span !== undefined) return this.#frame.setEntry(entry, span);
    return inputOf(entry, (id) => this.#requests.get(id));
  }

  #feed(input: Input): void {
    if (input.type === 'event') this.#step(input.event);
    else this.#normalizer.normalize(input, this.#step);
  }

  readonly #step = (event: EngineEvent): void => {
    this.#passing?.(event.at);
    const commands = this.engine.step(event);
    // The engine reuses its list.
    if (commands.length > 0) this.#pendingCommands.push({ text: JSON.stringify(commands), commands: [...commands] });
    this.#passed?.(event);
  };

  #compare(entry: Entry): SessionDifference | null {
    const expected = entry.payload.toString();
    const pending = this.#pendingCommands.shift() ?? null;
    if (pending === null)
      return this.#difference(entry, expected, this.#fault === null ? null : faultText(this.#fault));
    const { text: got } = pending;
    // Equal text is equal commands: those of the engine need no parsing.
    const commands = got === expected ? pending.commands : commandsOf(entry);
    if (got !== expected && canonicalJson(JSON.parse(got)) !== canonicalJson(commands))
      return this.#difference(entry, expected, got);
    this.commands += commands.length;
    for (const command of commands) if (!isFeedCommand(command)) this.#requests.set(command.id, command);
    return null;
  }

  #difference({ seq, at, file, line }: Entry, expected: string | null, got: string | null): SessionDifference {
    const kind = this.#inputKind;
    return { seq, at, file, line, input: kind && { seq: this.#inputSeq, kind }, expected, got };
  }
}

const faultText = (fault: unknown): string =>
  fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault);
