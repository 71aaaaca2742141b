/**
 * `npm run bundle [-- FOLDER]`: the whole of capstan in a folder, which any Node of the right version runs without node_modules.
 * The program is capstan.mjs; each command loads only its parts, and Node caches their compiled form.
 */
import { globSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "rolldown";
import { buildApp } from "../packages/cli/src/page/build-app.ts";

const [FOLDER = "dist"] = process.argv.slice(2);
const PARTS = "parts";

/** The page is in the bundle as finished files: where it runs, there is no bundler. */
const finishedPage: Plugin = {
  name: "finished page",
  load: {
    filter: { id: /cli\/src\/page\/build-app\.ts$/ },
    handler: async () => {
      const files = JSON.stringify(JSON.stringify(await buildApp()));
      return `export const buildApp = () => Promise.resolve(JSON.parse(${files}));`;
    },
  },
};

const startedMs = performance.now();
// Parts of an older bundle have other names.
rmSync(join(FOLDER, PARTS), { recursive: true, force: true });
await build({
  input: "packages/cli/bin/capstan.mjs",
  platform: "node",
  plugins: [finishedPage],
  output: {
    dir: FOLDER,
    format: "esm",
    entryFileNames: "capstan.mjs",
    chunkFileNames: `${PARTS}/[name]-[hash].mjs`,
    // Names are kept, so that a stack trace from production can be read.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    comments: { legal: true, annotation: false, jsdoc: false },
  },
});
const files = [join(FOLDER, "capstan.mjs"), ...globSync(join(FOLDER, PARTS, "*.mjs"))];
const megabytes = files.reduce((sum, file) => sum + statSync(file).size, 0) / 1e6;
const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
console.log(`wrote ${files[0]} and ${files.length - 1} parts: ${megabytes.toFixed(1)} MB in ${seconds} s`);
