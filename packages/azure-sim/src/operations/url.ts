import { createHash, createHmac } from "node:crypto";
import type { Operation } from "./operation.ts";

// Azure's operation URLs carry a signed certificate and are about 4 KB long; clients must cope with that.
const CERTIFICATE_LENGTH = 3200;
const SIGNATURE_LENGTH = 342;
// A client polls an operation many times. The cache holds more signatures than a busy fleet polls at a time.
const KEPT_SIGNATURES = 1000;

/** The two forms of an operation's URL: its status, or (`Location`) its result. */
export type UrlForm = "status" | "result";

/** The outcome of checking the signature of an operation URL. */
export type UrlVerdict = "ours" | "foreign" | "cut";

/** The signature of an operation's URLs, in two lengths. */
interface Signature {
  readonly short: string;
  readonly long: string;
}

/** Creates and verifies the signed URLs of operations. */
export class OperationUrls {
  readonly #secret: string;
  readonly #certificate: string;
  readonly #signatures = new Map<string, Signature>();

  constructor(seed: string) {
    this.#secret = createHash("sha256").update(`operation urls of ${seed}`).digest("hex");
    this.#certificate = stretched(`certificate of ${seed}`, CERTIFICATE_LENGTH);
  }

  /** The URL at which a caller polls the operation. */
  urlOf(operation: Operation, origin: string, form: UrlForm): string {
    const { id, apiVersion, startMs } = operation;
    const ticks = String(startMs);
    const { short, long } = this.#signatureOf(id, ticks);
    const flavour = form === "result" && operation.provider === "Microsoft.Compute" ? "&monitor=true" : "";
    return (
      `${origin}${pathOf(operation, form)}?p=${id}${flavour}&api-version=${apiVersion}` +
      `&t=${ticks}&c=${this.#certificate}&s=${long}&h=${short}`
    );
  }

  /** Verifies the signature of a URL in a request. */
  check(id: string, query: URLSearchParams): UrlVerdict {
    const [ticks, certificate, long, short] = ["t", "c", "s", "h"].map((name) => query.get(name) ?? "");
    if (!ticks || !certificate || !long || !short) return "cut";
    const signature = this.#signatureOf(id.toLowerCase(), ticks);
    const isOurs = certificate === this.#certificate && short === signature.short && long === signature.long;
    return isOurs ? "ours" : "foreign";
  }

  #signatureOf(id: string, ticks: string): Signature {
    const signed = `${id}/${ticks}`;
    const known = this.#signatures.get(signed);
    if (known) return known;
    const short = createHmac("sha256", this.#secret).update(signed).digest("base64url");
    const made = { short, long: stretched(short, SIGNATURE_LENGTH) };
    if (this.#signatures.size >= KEPT_SIGNATURES) this.#signatures.clear();
    this.#signatures.set(signed, made);
    return made;
  }
}

function pathOf({ subscription, provider, location, id }: Operation, form: UrlForm): string {
  if (provider === "Microsoft.Resources") return `/subscriptions/${subscription}/operationresults/${id}`;
  const noun = form === "result" && provider !== "Microsoft.Compute" ? "operationResults" : "operations";
  return `/subscriptions/${subscription}/providers/${provider}/locations/${location}/${noun}/${id}`;
}

/** So many URL-safe characters, derived from the text. */
function stretched(text: string, length: number): string {
  let result = "";
  for (let round = 0; result.length < length; round++) {
    result += createHash("sha512").update(`${text}/${round}`).digest("base64url");
  }
  return result.slice(0, length);
}
