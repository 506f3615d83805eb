/**
 * Turns bytes into text, and tells when they are no proper UTF-8.
 *
 * @module
 */

const STRICT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const LENIENT = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Decodes bytes. What is no UTF-8 becomes U+FFFD.
 *
 * @param bytes The bytes.
 * @returns The text, and whether the bytes were all right.
 */
export function decodeText(bytes: Uint8Array): { text: string; isValid: boolean } {
  try {
    return { text: STRICT.decode(bytes), isValid: true };
  } catch {
    return { text: LENIENT.decode(bytes), isValid: false };
  }
}
