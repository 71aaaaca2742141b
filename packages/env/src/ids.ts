import type { Rng } from "./rng.ts";

// Kubernetes excludes vowels and similar characters so that no generated name spells a word or is misread.
const SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

/** The random suffix of a generated name, from the alphabet that Kubernetes uses for `generateName`. */
export function nameSuffix(rng: Rng, length = 5): string {
  let suffix = "";
  while (suffix.length < length) suffix += SUFFIX_ALPHABET[rng.below(SUFFIX_ALPHABET.length)];
  return suffix;
}

/** A version 4 UUID drawn from `rng`. */
export function uuidFrom(rng: Rng): string {
  const digits = (count: number): string => {
    let text = "";
    while (text.length < count) text += rng.below(16).toString(16);
    return text;
  };
  const variant = "89ab"[rng.below(4)];
  return `${digits(8)}-${digits(4)}-4${digits(3)}-${variant}${digits(3)}-${digits(12)}`;
}
