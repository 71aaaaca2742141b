/**
 * A fixture holds no private keys. Each is replaced by a marker, wherever it is: as PEM, as PEM inside an indented text,
 * as base64 inside a text, inside a text that is base64 as a whole, or inside a text of JSON. Equal keys get equal markers, and equal fresh keys.
 * Certificates of these keys are replaced in the same way, and issued again.
 */
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { isJsonObject } from "@capstan/api";
import { hashOf, issuedAgain, keysOf, publicPart } from "./certificates.ts";

const PEM = /-----BEGIN ([A-Z ]*)(PRIVATE KEY|CERTIFICATE)-----[\s\S]+?-----END \1\2-----/g;
const BASE64 = /[A-Za-z0-9+/]{60,}={0,2}/g;
// Markers of the first fixture name no RSA keys and no certificates: no test of it uses them.
const MARKER = /<(private key (?:RSA )?\d+|certificate of [^,>]+), (indented by \d+|escaped)>/g;
const BASE64_MARKER = /<(private key (?:RSA )?\d+|certificate of [^,>]+) as base64>/g;
const HASH_MARKER = /<hash of ((?:RSA )?\d+)>/g;
const CERTIFICATE_NAME = /^certificate of ((?:RSA )?\d+) by ((?:RSA )?\d+): (.+)$/;
/** The field that stands for a string: the base64 of this text. */
const DECODED = "$base64";

/** Replaces the private keys of these values, and their certificates, by markers. */
export function keyHider(values: readonly unknown[]): (value: unknown) => unknown {
  const names = new Map<string, string>();
  const numbers = new Map<string, string>();
  const learn = (pem: string): undefined => {
    if (!isPrivate(pem) || names.has(bare(pem))) return;
    const key = createPrivateKey(pem);
    const number = `${key.asymmetricKeyType === "rsa" ? "RSA " : ""}${names.size + 1}`;
    names.set(bare(pem), `private key ${number}`);
    numbers.set(publicPart(key), number);
  };
  // All keys first: a certificate may come before the key of its issuer.
  for (const value of values) withTexts(value, (text) => withNames(text, learn));
  const nameOf = (pem: string): string | undefined => {
    if (isPrivate(pem)) return names.get(bare(pem));
    const keys = keysOf(asPem(bare(pem)), numbers);
    return keys && `certificate of ${keys.own} by ${keys.issuer}: ${bare(pem)}`;
  };
  // Join tokens name the authority by the hash of its public key.
  const hashes = [...numbers].map(([key, number]) => [hashOf(key), `<hash of ${number}>`] as const);
  return (value) =>
    withTexts(value, (text) =>
      hashes.reduce((left, [hash, marker]) => left.replaceAll(hash, marker), withNames(text, nameOf)),
    );
}

/** A text with a marker instead of each PEM that has a name. */
function withNames(text: string, nameOf: (pem: string) => string | undefined): string {
  return text
    .replaceAll(PEM, (pem) => {
      const name = nameOf(pem.replaceAll(/\n +|\\n/g, "\n"));
      return name === undefined ? pem : `<${name}, ${placeOf(pem)}>`;
    })
    .replaceAll(BASE64, (token) => {
      const inside = decoded(token).trim();
      const name = isOnePem(inside) ? nameOf(inside) : undefined;
      return name === undefined ? token : `<${name} as base64>`;
    });
}

/** A value with all of its texts changed; a text that is base64 of a changed one becomes that one, under a field of ours. */
function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value !== "string") return mapped(value, (part) => withTexts(part, change));
  const inside = isBase64(value) ? decoded(value) : "";
  const changed = change(inside);
  return changed === inside ? change(value) : { [DECODED]: changed };
}

/** Replaces markers by fresh keys and their certificates; one filler gives equal markers the same ones. */
export function keyFiller(): (value: unknown) => unknown {
  const made = new Map<string, string>();
  const once = (name: string, make: () => string): string => {
    const text = made.get(name) ?? make();
    made.set(name, text);
    return text;
  };
  const keyOf = (number: string): string => once(number, () => freshKey(number.startsWith("RSA")));
  const pemOf = (name: string): string => {
    const [, own = "", issuer = "", text = ""] = CERTIFICATE_NAME.exec(name) ?? [];
    if (own === "") return keyOf(name.slice("private key ".length));
    return once(name, () => issuedAgain(asPem(text), { own: keyOf(own), issuer: keyOf(issuer) }));
  };
  const filled = (text: string): string =>
    text
      .replaceAll(MARKER, (_, name: string, place: string) =>
        pemOf(name).replaceAll("\n", place === "escaped" ? "\\n" : `\n${" ".repeat(indentIn(place))}`),
      )
      .replaceAll(BASE64_MARKER, (_, name: string) => encoded(`${pemOf(name)}\n`))
      .replaceAll(HASH_MARKER, (_, number: string) => hashOf(publicPart(createPrivateKey(keyOf(number)))));
  const fill = (value: unknown): unknown => {
    if (typeof value === "string") return filled(value);
    const inside = isJsonObject(value) ? value[DECODED] : undefined;
    return typeof inside === "string" ? encoded(filled(inside)) : mapped(value, fill);
  };
  return fill;
}

/** The same JSON value with each of its parts replaced. */
function mapped(value: unknown, change: (part: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, change(part)]));
}

function freshKey(isRsa: boolean): string {
  if (isRsa) {
    // As long as the keys that kubeadm makes.
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    return String(privateKey.export({ type: "pkcs1", format: "pem" })).trim();
  }
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return String(privateKey.export({ type: "pkcs8", format: "pem" })).trim();
}

const isPrivate = (pem: string): boolean => pem.includes("PRIVATE KEY-----");

/** The base64 of a PEM on one line; its line breaks may be real, or written as `\n`. */
const bare = (pem: string): string => pem.replaceAll(/-----[A-Z ]+-----|\\n|\s+/g, "");

/** A certificate of its base64. */
function asPem(text: string): string {
  const lines = text.match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----"].join("\n");
}

/** The form of the lines of a PEM: JSON escapes their ends; the first one follows the text before it. */
function placeOf(pem: string): string {
  if (pem.includes("\\n")) return "escaped";
  return `indented by ${/\n( *)\S/.exec(pem)?.[1]?.length ?? 0}`;
}

const indentIn = (place: string): number => Number(place.slice("indented by ".length));

function isOnePem(text: string): boolean {
  return text.startsWith("-----BEGIN ") && text.replaceAll(PEM, "") === "";
}

function isBase64(text: string): boolean {
  return text.length >= 60 && text.replaceAll(BASE64, "") === "";
}

function decoded(token: string): string {
  return Buffer.from(token, "base64").toString("utf8");
}

function encoded(text: string): string {
  return Buffer.from(text).toString("base64");
}
