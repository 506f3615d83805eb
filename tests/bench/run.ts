/**
 * Runs all benchmarks, each in a process of its own, one after the other.
 *
 * @module
 */

const folder = new URL("./", import.meta.url);
const wanted = Deno.args;
const names = [...Deno.readDirSync(folder)]
  .map(({ name }) => name)
  .filter((name) => name.endsWith("_bench.ts"))
  .filter((name) => wanted.length === 0 || wanted.some((word) => name.startsWith(word)))
  .sort();

let failed = 0;
for (const name of names) {
  console.log(`\n${name.replace("_bench.ts", "")}`);
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", new URL(name, folder).href],
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  });
  if (!(await command.spawn().status).success) failed++;
}
if (failed > 0) {
  console.error(`${failed} of ${names.length} benchmarks failed`);
  Deno.exit(1);
}
