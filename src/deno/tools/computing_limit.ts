/**
 * Ends computations that take too long.
 *
 * A regular expression can take years for one line, nothing else runs meanwhile, and neither a
 * timer nor a signal gets through to it. A worker would not help, since Deno does not stop one that
 * is computing. What does stop it is the time limit of `node:vm`, which works on a job of ours just
 * as on a script.
 *
 * @module
 */

/** Runs a job; throws {@linkcode TimeLimitError} if it takes too long. */
export type TimeLimit = <T>(job: () => T) => T;

/** A job took too long and was ended. */
export class TimeLimitError extends Error {}

/** Runs a job without a limit. */
export const noTimeLimit: TimeLimit = (job) => job();

/**
 * Makes a limit for jobs that do not wait for anything.
 *
 * @param limitMs How long each job may take, in milliseconds.
 */
export async function createTimeLimit(limitMs: number): Promise<TimeLimit> {
  const { createContext, Script } = await import("node:vm");
  const globals: { job: () => void } = { job: () => {} };
  const context = createContext(globals);
  const script = new Script("job()");
  return <T>(job: () => T): T => {
    const results: T[] = [];
    globals.job = () => void results.push(job());
    try {
      script.runInContext(context, { timeout: limitMs });
    } catch (error) {
      if (!isTimeout(error)) throw error;
      throw new TimeLimitError(`it takes longer than ${limitMs} ms`, { cause: error });
    } finally {
      globals.job = () => {};
    }
    return results[0];
  };
}

function isTimeout(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error &&
    error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
