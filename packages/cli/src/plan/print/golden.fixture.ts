import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

/** Compares a text with the golden file of that name; with CAPSTAN_GOLDEN=write it writes the file. */
export function expectGolden(name: string, text: string): void {
  const path = join(import.meta.dirname, "goldens", `${name}.txt`);
  const readable = withModelNames(text);
  if (process.env["CAPSTAN_GOLDEN"] === "write") writeFileSync(path, readable);
  expect(readable).toBe(readFileSync(path, "utf8"));
}

/** Replaces hashes of models by short names, in order of appearance: hashing is tested elsewhere. */
function withModelNames(text: string): string {
  const names = new Map<string, string>();
  // Sentences have the beginning of a hash, details all of it.
  return text.replaceAll(/v\d+-[0-9a-f]{8,}/g, (hash) => {
    const short = hash.slice(0, 11);
    const name = names.get(short) ?? `model-${names.size + 1}`;
    names.set(short, name);
    return name;
  });
}
