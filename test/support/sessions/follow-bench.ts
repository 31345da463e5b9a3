// An engine with a publisher and followers on a clock that moves only when the test moves it. The sockets are in memory:
// a follower reads at once, or not at all while it is stalled.
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import { logTo } from '../../../src/log.ts';
import type { FollowFrame } from '../../../src/runtime/follow/follow-messages.ts';
import { followFrameSchema } from '../../../src/runtime/follow/follow-messages.ts';
import { FollowedBot } from '../../../src/runtime/follow/followed-bot.ts';
import { LivePublisher } from '../../../src/runtime/follow/live-publisher.ts';
import { SessionTally } from '../../../src/runtime/session/session-tally.ts';
import { EngineHarness, type EngineHarnessOptions } from '../engine/engine-harness.ts';
import { FakeScheduler } from '../transport/fake-scheduler.ts';

/** A socket in memory, and the console behind it. */
export class MemoryFollower extends EventEmitter {
  readonly bot = new FollowedBot();
  readonly frames: FollowFrame[] = [];
  /** Reasons for which the console could not use a frame. */
  readonly faults: string[] = [];
  isDestroyed = false;
  isEnded = false;
  #isStalled = false;
  #unread: string[] = [];
  #unreadLength = 0;
  readonly #weight: number;

  /** @param weight bytes that count for each byte, so that a few frames fill the buffer. */
  constructor(weight = 1) {
    super();
    this.#weight = weight;
  }

  /** Bytes that the console has not read. */
  get writableLength(): number {
    return this.#unreadLength;
  }

  get writableNeedDrain(): boolean {
    return this.#unreadLength > 65_536;
  }

  write(text: string): boolean {
    this.#unread.push(text);
    this.#unreadLength += text.length * this.#weight;
    if (!this.#isStalled) this.#readAll();
    return !this.writableNeedDrain;
  }

  /** Stops reading, or reads everything that waits. */
  stall(isStalled: boolean): void {
    this.#isStalled = isStalled;
    if (!isStalled) this.#readAll();
  }

  #readAll(): void {
    const lines = this.#unread;
    this.#unread = [];
    this.#unreadLength = 0;
    for (const line of lines) {
      const frame = followFrameSchema.parse(JSON.parse(line));
      this.frames.push(frame);
      const fault = this.bot.applyFrame(frame);
      if (fault !== null) this.faults.push(fault);
    }
  }

  end(): void {
    this.isEnded = true;
    this.destroy();
  }

  destroy(): void {
    if (this.isDestroyed) return;
    this.isDestroyed = true;
    this.emit('close');
  }

  /** Sends text to the bot. */
  send(text: string): void {
    this.emit('data', text);
  }

  /** The frames of one type. */
  framesOf<Type extends FollowFrame['type']>(type: Type): Extract<FollowFrame, { type: Type }>[] {
    return this.frames.filter((frame): frame is Extract<FollowFrame, { type: Type }> => frame.type === type);
  }
}

/** An engine harness that is published. */
export class FollowBench {
  readonly harness: EngineHarness;
  readonly scheduler = new FakeScheduler();
  readonly publisher: LivePublisher;
  readonly tally: SessionTally;
  readonly logged: string[] = [];

  constructor({ engine = {}, ...options }: EngineHarnessOptions = {}) {
    let publisher: LivePublisher | null = null;
    const harness: EngineHarness = new EngineHarness({
      ...options,
      engine: {
        ...engine,
        observe: (notice: Notice) => {
          harness.notices.push(notice);
          this.tally.countNotice(notice);
          publisher?.publishNotice(notice);
        },
      },
    });
    this.harness = harness;
    this.tally = new SessionTally((options.strategies ?? []).map(({ name }) => name));
    const facts = { bot: 'bench', program: '0', profile: 'test', isPaper: false, hasKey: true };
    publisher = new LivePublisher({
      source: {
        engine: harness.engine,
        tally: this.tally,
        facts: { ...facts, startedAt: harness.now, params: {} },
        sessionName: () => 's',
        now: () => harness.now,
        journalBytes: () => null,
        remarks: () => [],
      },
      scheduler: this.scheduler,
      log: logTo({ write: (line) => this.logged.push(line) }, 'info'),
    });
    this.publisher = publisher;
  }

  /** Connects a follower. */
  follow(hz = 4, weight = 1): MemoryFollower {
    const follower = new MemoryFollower(weight);
    // The publisher uses these members of a socket, and no others.
    const socket = follower as unknown as Socket;
    const refusal = this.publisher.acceptFollower(socket, { type: 'follow', version: 1, hz }, '');
    if (refusal !== null) follower.faults.push(refusal);
    return follower;
  }

  /** Lets time pass, for the engine and then for the publisher. */
  pass(milliseconds: number): void {
    this.harness.run(milliseconds);
    this.scheduler.advance(milliseconds);
  }
}
