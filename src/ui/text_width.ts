/**
 * How many cells a text takes on a terminal.
 *
 * Terminals disagree about rare characters. Where they do, the larger width is taken: a line that
 * is a cell too short is better than one that wraps.
 *
 * @module
 */

/**
 * All code points that take two cells: those of the classes Wide and Fullwidth in Unicode's East
 * Asian Width (version 17), as hexadecimal ranges.
 */
const WIDE_RANGES = `
1100-115f 231a-231b 2329-232a 23e9-23ec 23f0 23f3 25fd-25fe 2614-2615 2630-2637 2648-2653 267f
268a-268f 2693 26a1 26aa-26ab 26bd-26be 26c4-26c5 26ce 26d4 26ea 26f2-26f3 26f5 26fa 26fd 2705
270a-270b 2728 274c 274e 2753-2755 2757 2795-2797 27b0 27bf 2b1b-2b1c 2b50 2b55 2e80-2e99 2e9b-2ef3
2f00-2fd5 2ff0-303e 3041-3096 3099-30ff 3105-312f 3131-318e 3190-31e5 31ef-321e 3220-3247 3250-a48c
a490-a4c6 a960-a97c ac00-d7a3 f900-faff fe10-fe19 fe30-fe52 fe54-fe66 fe68-fe6b ff01-ff60 ffe0-ffe6
16fe0-16fe4 16ff0-16ff6 17000-18cda 18cff-18d20 18d80-18df2 18e00-19191 191a0-191d2 1aff0-1aff3
1aff5-1affb 1affd-1affe 1b000-1b128 1b132 1b150-1b152 1b155 1b164-1b168 1b170-1b2fb 1d300-1d356
1d360-1d376 1f004 1f0cf 1f18e 1f191-1f19a 1f1ae 1f200-1f202 1f210-1f23b 1f240-1f248 1f250-1f251
1f260-1f265 1f300-1f320 1f32d-1f335 1f337-1f37c 1f37e-1f393 1f3a0-1f3ca 1f3cf-1f3d3 1f3e0-1f3f0
1f3f4 1f3f8-1f43e 1f440 1f442-1f4fc 1f4ff-1f53d 1f54b-1f54e 1f550-1f567 1f57a 1f595-1f596 1f5a4
1f5fb-1f64f 1f680-1f6c5 1f6cc 1f6d0-1f6d2 1f6d5-1f6d9 1f6dc-1f6df 1f6eb-1f6ec 1f6f4-1f6fc 1f7da
1f7e0-1f7eb 1f7f0 1f90c-1f93a 1f93c-1f945 1f947-1f9ff 1fa70-1fa7c 1fa80-1fac6 1fac8 1facc-1fadd
1fadf-1faeb 1faef-1fafa 20000-2fffd 30000-3fffd`;

interface CodePointRange {
  first: number;
  last: number;
}

let wideRanges: CodePointRange[] | undefined;
let segmenter: Intl.Segmenter | undefined;

/**
 * Tells whether a code point takes two cells on its own.
 *
 * @param codePoint A number from 0 to 0x10FFFF.
 */
export function isWide(codePoint: number): boolean {
  wideRanges ??= WIDE_RANGES.trim().split(/\s/).map((range) => {
    const [first, last = first] = range.split("-").map((hex) => parseInt(hex, 16));
    return { first, last };
  });
  let low = 0;
  let high = wideRanges.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = wideRanges[middle];
    if (codePoint < range.first) high = middle - 1;
    else if (codePoint > range.last) low = middle + 1;
    else return true;
  }
  return false;
}

/** Takes a text apart into what a reader sees as its characters. */
export function graphemes(text: string): string[] {
  if (isPlain(text)) return text.split("");
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/**
 * The cells that a text takes. Escape sequences have no meaning here: take them out before.
 *
 * @param text A text without line breaks.
 */
export function textWidth(text: string): number {
  if (isPlain(text)) return text.length;
  return graphemes(text).reduce((width, grapheme) => width + graphemeWidth(grapheme), 0);
}

/** Printable ASCII: one cell each, and no two of them join. */
function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/**
 * The cells that one visible character takes. An emoji is drawn as one picture however many code
 * points it has; in all other characters each part that has a width of its own counts.
 */
function graphemeWidth(grapheme: string): number {
  if (/[\p{Extended_Pictographic}\p{Regional_Indicator}\u20e3]/u.test(grapheme)) {
    const isPicture = /[\ufe0f\p{Regional_Indicator}]/u.test(grapheme);
    return isPicture ? 2 : Math.max(...Array.from(grapheme, codePointWidth));
  }
  const [first, ...rest] = grapheme;
  return rest.reduce(
    (width, character) => width + (isJamoInside(character) ? 0 : codePointWidth(character)),
    codePointWidth(first),
  );
}

/** Vowels and final consonants of Korean are drawn into the square of the first consonant. */
function isJamoInside(character: string): boolean {
  return /[\u1160-\u11ff\ud7b0-\ud7fb]/.test(character);
}

function codePointWidth(character: string): number {
  if (/\p{Mn}|\p{Me}/u.test(character)) return 0;
  if (isWide(character.codePointAt(0) ?? 0)) return 2;
  // The soft hyphen counts as invisible and is drawn by many terminals all the same.
  if (character === "\u00ad") return 1;
  return /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Zl}\p{Zp}]/u.test(character) ? 0 : 1;
}
