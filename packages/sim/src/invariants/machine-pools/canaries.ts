import type { Frozen, Secret } from "@capstan/api";

// Less than this is found anywhere by chance.
const SHORTEST = 12;
// A join token, of which only the second part is secret: its first names a Secret that everybody may see.
const TOKENS = /\b[a-z0-9]{6}\.([a-z0-9]{16})\b/g;
const PRIVATE_KEYS = /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+(\S+)/g;
// What a kubeconfig has in it, as YAML or as JSON.
const CREDENTIALS = /"?(?:client-key-data|token|password)"?:\s*"?([^\s",]+)/g;
const SECRET_FIELDS = /(secret|password|token)$/i;

/** The bytes of Secrets that must be seen nowhere else, in all the ways in which they may be written. */
export class Canaries {
  readonly #known = new Set<string>();
  readonly #spellings = new Set<string>();
  #pattern: RegExp | undefined;

  /** Learns what a Secret holds. */
  learn({ data = {} }: Frozen<Secret>): void {
    for (const [field, value] of Object.entries(data)) {
      // Most writes of a Secret change one field or none.
      if (this.#known.has(value)) continue;
      this.#known.add(value);
      for (const secret of secretsIn(field, Buffer.from(value, "base64").toString())) this.#add(secret);
    }
  }

  /** Whether there is a secret in a text. */
  isIn(text: string): boolean {
    if (this.#spellings.size === 0) return false;
    this.#pattern ??= new RegExp([...this.#spellings].map((one) => escaped(one)).join("|"));
    return this.#pattern.test(text);
  }

  #add(secret: string): void {
    if (secret.length < SHORTEST || this.#spellings.has(secret)) return;
    for (const spelling of [secret, ...encodings(secret)]) this.#spellings.add(spelling);
    this.#pattern = undefined;
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}]/g, "\\$&");
}

function secretsIn(field: string, text: string): string[] {
  const found = [TOKENS, PRIVATE_KEYS, CREDENTIALS].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, secret = ""]) => secret),
  );
  return SECRET_FIELDS.test(field) ? [...found, text] : found;
}

/** What all texts have in common that are base64 of something with the secret in it, wherever in it the secret begins. */
function encodings(secret: string): string[] {
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const whole = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString("base64");
    // Whatever comes before the secret shares its first character with it.
    return whole.slice(before === 0 ? 0 : before + 1);
  });
}
