import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

/** Compares a text with the file of that name; with CAPSTAN_GOLDEN=write the file is what changes. */
export function expectGolden(name: string, text: string): void {
  const path = join(import.meta.dirname, "goldens", `${name}.txt`);
  const readable = withModelNames(text);
  if (process.env["CAPSTAN_GOLDEN"] === "write") writeFileSync(path, readable);
  expect(readable).toBe(readFileSync(path, "utf8"));
}

/** Gives hashes of models short names, in the order they come in: what is hashed is tested elsewhere. */
function withModelNames(text: string): string {
  const names = new Map<string, string>();
  return text.replaceAll(/v\d+-[0-9a-f]{32,}/g, (hash) => {
    const name = names.get(hash) ?? `model-${names.size + 1}`;
    names.set(hash, name);
    return name;
  });
}
