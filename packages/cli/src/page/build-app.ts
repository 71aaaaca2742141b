import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The files of the page. */
export interface AppFiles {
  readonly script: string;
  readonly style: string;
}

/**
 * Bundles the page from its sources, in a tenth of a second. Only a clone does: `npm run bundle` replaces this module by the
 * finished files, so that an installed command line needs no bundler.
 */
export async function buildApp(): Promise<AppFiles> {
  const { rolldown } = await import("rolldown");
  const bundle = await rolldown({
    input: fileURLToPath(import.meta.resolve("@capstan/page/app")),
    platform: "browser",
    transform: { jsx: { runtime: "automatic", importSource: "preact" }, target: "es2022" },
    logLevel: "silent",
  });
  try {
    const { output } = await bundle.generate({ format: "esm", minify: true, codeSplitting: false });
    const style = readFileSync(fileURLToPath(import.meta.resolve("@capstan/page/style")), "utf8");
    return { script: output[0].code, style };
  } finally {
    await bundle.close();
  }
}
