import type { Rng } from "@capstan/env";

/** A version 4 UUID from a random stream. */
export function uuidOf(rng: Rng): string {
  const digits = (count: number): string => {
    let text = "";
    while (text.length < count) text += rng.below(16).toString(16);
    return text;
  };
  return `${digits(8)}-${digits(4)}-4${digits(3)}-${rng.pick(["8", "9", "a", "b"])}${digits(3)}-${digits(12)}`;
}
