/**
 * A fixture holds no private keys. Each is replaced by a marker, wherever it is: as PEM, as PEM inside an indented text,
 * as base64 inside a text, or inside a text that is base64 as a whole. Equal keys get equal markers, and equal fresh keys.
 */
import { generateKeyPairSync } from "node:crypto";
import { isJsonObject } from "@capstan/api";

const PEM = /-----BEGIN ([A-Z ]*)PRIVATE KEY-----[\s\S]+?-----END \1PRIVATE KEY-----/g;
const BASE64 = /[A-Za-z0-9+/]{60,}={0,2}/g;
const MARKER = /<private key (\d+), indented by (\d+)>/g;
const BASE64_MARKER = /<private key (\d+) as base64>/g;
/** The field that stands for a string: the base64 of this text. */
const DECODED = "$base64";

/** Replaces private keys by markers; one hider numbers the keys of all its values. */
export function keyHider(): (value: unknown) => unknown {
  const numbers = new Map<string, number>();
  const numberOf = (pem: string): number => {
    const key = pem.replaceAll(/\s+/g, "");
    const number = numbers.get(key) ?? numbers.size + 1;
    numbers.set(key, number);
    return number;
  };
  const hidden = (text: string): string =>
    text
      .replaceAll(PEM, (pem) => `<private key ${numberOf(pem)}, indented by ${indentOf(pem)}>`)
      .replaceAll(BASE64, (token) => {
        const inside = decoded(token).trim();
        return isOnePem(inside) ? `<private key ${numberOf(inside)} as base64>` : token;
      });
  const hide = (value: unknown): unknown => {
    if (typeof value !== "string") return mapped(value, hide);
    const inside = isBase64(value) ? decoded(value) : "";
    const without = hidden(inside);
    return without === inside ? hidden(value) : { [DECODED]: without };
  };
  return hide;
}

/** Replaces markers by fresh keys; one filler gives equal markers the same key. */
export function keyFiller(): (value: unknown) => unknown {
  const keys = new Map<string, string>();
  const keyOf = (number: string): string => {
    const pem = keys.get(number) ?? freshKey();
    keys.set(number, pem);
    return pem;
  };
  const filled = (text: string): string =>
    text
      .replaceAll(MARKER, (_, number: string, indent: string) =>
        keyOf(number).replaceAll("\n", `\n${" ".repeat(Number(indent))}`),
      )
      .replaceAll(BASE64_MARKER, (_, number: string) => encoded(`${keyOf(number)}\n`));
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

function freshKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return String(privateKey.export({ type: "pkcs8", format: "pem" })).trim();
}

/** The indentation of all lines but the first, which follows the text before it. */
function indentOf(pem: string): number {
  return /\n( *)\S/.exec(pem)?.[1]?.length ?? 0;
}

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
