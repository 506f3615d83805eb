/**
 * Compares functions in one run: interleaved rounds, so that what disturbs the machine disturbs
 * all of them alike, and the median of the ratios of each round.
 *
 * @module
 */

/** Something to be measured. It does its work `times` times. */
export type Contender = (times: number) => void | Promise<void>;

/** What a contender costs. */
export interface Figure {
  /** Median of all rounds, in nanoseconds for one time. */
  nanoseconds: number;
  /** Median of the ratios to the baseline of the same round. */
  ratio: number;
}

/**
 * Measures contenders against a baseline.
 *
 * @param baseline What the others are compared with.
 * @param contenders The others, by name.
 * @param times How often each does its work in a round.
 * @param rounds How many rounds are counted, after three that warm up.
 */
export async function compare(
  baseline: Contender,
  contenders: Record<string, Contender>,
  times: number,
  rounds = 25,
): Promise<{ baseline: number; figures: Record<string, Figure> }> {
  const names = Object.keys(contenders);
  const costs: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]));
  const ratios: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]));
  const baseCosts: number[] = [];
  for (let round = -3; round < rounds; round++) {
    const base = await cost(baseline, times);
    if (round >= 0) baseCosts.push(base);
    for (const name of names) {
      const own = await cost(contenders[name], times);
      if (round < 0) continue;
      costs[name].push(own);
      ratios[name].push(own / base);
    }
  }
  const figures = Object.fromEntries(
    names.map((name) => [name, { nanoseconds: median(costs[name]), ratio: median(ratios[name]) }]),
  );
  return { baseline: median(baseCosts), figures };
}

async function cost(contender: Contender, times: number): Promise<number> {
  const start = performance.now();
  await contender(times);
  return (performance.now() - start) / times * 1e6;
}

/**
 * The middle value.
 *
 * @param values Some numbers.
 */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/**
 * Prints one line of a table.
 *
 * @param what What was measured.
 * @param baseline Name and cost of what it was compared with.
 * @param figure What it costs.
 * @param goal The largest ratio that is wanted.
 */
export function report(
  what: string,
  baseline: number,
  figure: Figure,
  goal?: number,
): void {
  const verdict = goal === undefined ? "" : figure.ratio <= goal ? "ok" : "MISSED";
  console.log(
    [
      what.padEnd(58),
      shown(figure.nanoseconds).padStart(10),
      shown(baseline).padStart(10),
      `${figure.ratio.toFixed(2)}x`.padStart(8),
      goal === undefined ? "" : `<= ${goal}x`.padStart(9),
      verdict,
    ].join(" "),
  );
}

function shown(nanoseconds: number): string {
  if (nanoseconds < 10_000) return `${nanoseconds.toFixed(0)} ns`;
  if (nanoseconds < 10_000_000) return `${(nanoseconds / 1000).toFixed(0)} µs`;
  return `${(nanoseconds / 1e6).toFixed(0)} ms`;
}
