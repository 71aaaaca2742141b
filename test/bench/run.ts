/** `npm run bench -- NAME`: runs `test/bench/NAME.bench.ts` and prints its table. */
import { globSync } from "node:fs";
import { basename, join } from "node:path";

const [name] = process.argv.slice(2);
const known = globSync(join(import.meta.dirname, "*.bench.ts")).map((path) => basename(path, ".bench.ts"));
if (name === undefined || !known.includes(name)) {
  console.error(`usage: npm run bench -- NAME, where NAME is one of: ${known.join(", ")}`);
  process.exit(2);
}
await import(`./${name}.bench.ts`);
