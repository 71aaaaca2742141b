/** `npm run bundle [-- FILE]`: the whole of capstan in one file, which any Node of the right version runs without node_modules. */
import { statSync } from "node:fs";
import { build } from "rolldown";

const [FILE = "dist/capstan.mjs"] = process.argv.slice(2);

const startedMs = performance.now();
await build({
  input: "packages/cli/bin/capstan.mjs",
  platform: "node",
  output: {
    file: FILE,
    format: "esm",
    // Commands still load their part only when they are chosen: a module in the bundle runs when it is first imported.
    codeSplitting: false,
    // Names are kept, so that a stack trace from production can be read.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    comments: { legal: true, annotation: false, jsdoc: false },
  },
});
const megabytes = (statSync(FILE).size / 1e6).toFixed(1);
console.log(`wrote ${FILE}: ${megabytes} MB in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
