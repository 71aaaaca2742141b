import type { Frozen } from "@capstan/api";
import { createHash } from "node:crypto";
import type { PodTemplate } from "./workload-kinds.ts";

// Kubernetes leaves out vowels and similar characters, so that no name spells a word.
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const LETTERS = ALPHABET.split("");
const LENGTH = 10;

/** A short name of a template: equal templates have equal names, regardless of the order of their fields. */
export function templateHash(template: Frozen<PodTemplate>): string {
  const digest = createHash("sha256").update(canonical(template)).digest();
  return Array.from(digest.subarray(0, LENGTH), (byte) => LETTERS[byte % LETTERS.length]).join("");
}

/** Five random letters for the end of a name, as in Kubernetes. */
export function randomSuffix(rng: { pick<T>(items: readonly T[]): T }): string {
  return Array.from({ length: 5 }, () => rng.pick(LETTERS)).join("");
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(",")}}`;
}
