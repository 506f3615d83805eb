/**
 * What a test has expected, and what came up without being expected.
 *
 * @module
 */

/** A hook has done something that the test has not expected. */
export class UnexpectedError extends Error {
  /** Always `"UnexpectedError"`. */
  override readonly name = "UnexpectedError";
}

/** Collects what was not expected: a hook may catch the error, the test must fail all the same. */
export class Unexpected {
  #errors: UnexpectedError[] = [];

  /**
   * Takes something in.
   *
   * @param text What it is.
   * @returns The error, to be thrown into the hook.
   */
  add(text: string): UnexpectedError {
    const error = new UnexpectedError(text);
    this.#errors.push(error);
    return error;
  }

  /**
   * Fails if there was something.
   *
   * @throws {UnexpectedError} The first one; it is then forgotten with all others.
   */
  check(): void {
    const [first] = this.#errors;
    this.#errors = [];
    if (first !== undefined) throw first;
  }
}
