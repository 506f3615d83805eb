/**
 * The end of the program: signals, and an event loop with nothing left to do.
 *
 * @module
 */

/** The exit status of a program that a signal has ended: 128 and the number of the signal. */
export const SIGNAL_STATUS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** A signal that ends a program. */
export type EndingSignal = keyof typeof SIGNAL_STATUS;

/**
 * Waits for the end of the program.
 *
 * @param onSignal Called for each signal. The program goes on unless it exits.
 * @param onEnd Called when there is nothing left to do. If it says `true` it has started something
 * that has to be waited for, and is called again after that. An exit by `Deno.exit` or by an
 * uncaught error waits for nobody, so it is not called then.
 * @returns Stops waiting.
 *
 * @example
 * ```ts
 * import { exitProgram, onProgramEnd, SIGNAL_STATUS } from "./signals.ts";
 *
 * const stop = onProgramEnd((signal) => exitProgram(SIGNAL_STATUS[signal]), () => false);
 * stop();
 * ```
 */
export function onProgramEnd(
  onSignal: (signal: EndingSignal) => void,
  onEnd: () => boolean,
): () => void {
  const stops = (Object.keys(SIGNAL_STATUS) as EndingSignal[]).map((signal) =>
    listen(signal, () => onSignal(signal))
  );
  const end = (event: Event): void => {
    if (onEnd()) event.preventDefault();
  };
  globalThis.addEventListener("beforeunload", end);
  return () => {
    globalThis.removeEventListener("beforeunload", end);
    stops.forEach((stop) => stop());
  };
}

function listen(signal: EndingSignal, listener: () => void): () => void {
  try {
    Deno.addSignalListener(signal, listener);
  } catch (error) {
    // Windows knows fewer signals; the others are still heard.
    if (error instanceof TypeError) return () => {};
    throw error;
  }
  return () => Deno.removeSignalListener(signal, listener);
}

/**
 * Ends the program.
 *
 * @param status Its exit status.
 */
export function exitProgram(status: number): never {
  Deno.exit(status);
}
