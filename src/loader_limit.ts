/**
 * A limit for things that are done one after another.
 *
 * One timer serves them all, and it is none of `setTimeout`: making that one for each of them, or
 * one for the first time, takes longer than loading a hook.
 *
 * @module
 */

/** What a timer can wait for. */
const MAX_MS = 2 ** 31 - 1;

/** What is waited for now. */
interface Waiting {
  /** When it must be done, by `performance.now`. */
  readonly end: number;
  giveUp(): void;
}

/** How long each of several things may take. They must not overlap. */
export class TimeLimit implements Disposable {
  /** The limit in milliseconds. */
  readonly ms: number;
  readonly #ring = (): void => this.#onRing();
  #timer: AbortSignal | undefined;
  #waiting: Waiting | undefined;

  /**
   * Makes a limit.
   *
   * @param ms Milliseconds; zero, a negative number or what is not a number means no limit.
   */
  constructor(ms: number) {
    this.ms = ms;
  }

  /**
   * Waits for something as long as it may take.
   *
   * @param work The thing.
   * @param fault Makes what is thrown when it takes too long.
   */
  async hold<T>(work: Promise<T>, fault: () => Error): Promise<T> {
    if (!(this.ms > 0 && this.ms <= MAX_MS)) return await work;
    const { promise, reject } = Promise.withResolvers<never>();
    this.#waiting = { end: performance.now() + this.ms, giveUp: () => reject(fault()) };
    if (this.#timer === undefined) this.#set(this.ms);
    try {
      return await Promise.race([work, promise]);
    } finally {
      this.#waiting = undefined;
    }
  }

  /** Ends the timer, which otherwise keeps the program from ending. */
  [Symbol.dispose](): void {
    this.#timer?.removeEventListener("abort", this.#ring);
    this.#timer = undefined;
  }

  #set(ms: number): void {
    this.#timer = AbortSignal.timeout(Math.ceil(ms));
    this.#timer.addEventListener("abort", this.#ring);
  }

  #onRing(): void {
    this.#timer = undefined;
    if (this.#waiting === undefined) return;
    const left = this.#waiting.end - performance.now();
    // The timer was set for something earlier and rings too soon for this.
    if (left > 0) this.#set(left);
    else this.#waiting.giveUp();
  }
}
