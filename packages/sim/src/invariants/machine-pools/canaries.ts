import type { Frozen, Secret } from "@capstan/api";

// Shorter texts are found by chance.
const SHORTEST = 12;
// A join token. Only its second part is secret: the first is in the name of a Secret that any user may list.
const TOKENS = /\b[a-z0-9]{6}\.([a-z0-9]{16})\b/g;
const PRIVATE_KEYS = /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+(\S+)/g;
// Credentials in a kubeconfig, as YAML or JSON.
const CREDENTIALS = /"?(?:client-key-data|token|password)"?:\s*"?([^\s",]+)/g;
const SECRET_FIELDS = /(secret|password|token)$/i;

/** The secret values of Secrets that must not appear anywhere else, in all their encodings. */
export class Canaries {
  readonly #known = new Set<string>();
  readonly #spellings = new Set<string>();
  #pattern: RegExp | undefined;

  /** Learns the values of a Secret. */
  learn({ data = {} }: Frozen<Secret>): void {
    for (const [field, value] of Object.entries(data)) {
      // Most writes of a Secret change one field or none.
      if (this.#known.has(value)) continue;
      this.#known.add(value);
      for (const secret of secretsIn(field, Buffer.from(value, "base64").toString())) this.#add(secret);
    }
  }

  /** Whether a text contains a secret. */
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

/** The text that every base64 encoding of data with the secret contains, at each of the three offsets. */
function encodings(secret: string): string[] {
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const whole = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString("base64");
    // The bytes before the secret share its first character.
    return whole.slice(before === 0 ? 0 : before + 1);
  });
}
