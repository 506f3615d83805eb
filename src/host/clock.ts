/**
 * The clock of a host, and waiting that can be given up. Tests hand in a clock that does not wait.
 *
 * @module
 */

/** What a host knows of time. */
export interface HostClock {
  /** Now, in milliseconds since 1970. */
  now(): number;
  /**
   * Waits.
   *
   * @param ms How long, in milliseconds.
   * @param signal Ends the wait: the promise then rejects.
   */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** The clock of the machine. */
export const systemClock: HostClock = {
  now: () => Date.now(),
  sleep(ms, signal) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    return promise;
  },
};

/**
 * Waits for work; once the signal has fired, only a little longer. So what was begun may end in
 * good order, and what never ends keeps nobody.
 *
 * @param work What is waited for.
 * @param signal The signal.
 * @param graceMs How long to wait after the signal, in milliseconds.
 * @returns Whether the work has ended.
 * @throws What the work throws.
 */
export async function endedInTime(
  work: Promise<unknown>,
  signal: AbortSignal,
  graceMs: number,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<false>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const startGrace = (): void => {
    timer ??= setTimeout(() => resolve(false), graceMs);
  };
  signal.addEventListener("abort", startGrace, { once: true });
  if (signal.aborted) startGrace();
  try {
    return await Promise.race([work.then(() => true), promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", startGrace);
  }
}
