import { InvalidArgumentError } from "commander";

/** Parsers of command line values. Invalid values are reported the way commander reports them. */
export function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError("Expected a number from 0 to 65535; 0 picks a free port.");
  return port;
}

/** A name. A script whose variable is not set passes an empty one, which would otherwise match every object. */
export function givenName(text: string): string {
  if (text.trim() === "")
    throw new InvalidArgumentError("Expected a name, such as workers; this one is empty.");
  return text;
}

/** A number above 0, such as a speed. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError("Expected a number above 0, such as 60.");
  return value;
}

/** A whole number, 0 or more. */
export function count(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("Expected a whole number, such as 3.");
  return Number(text);
}

const PACKAGE = /^([a-z0-9][a-z0-9+.-]{0,99})=([A-Za-z0-9][A-Za-z0-9.+~:-]{0,99})$/;

/** A package of Debian or Ubuntu and its version. */
export function packageVersion(text: string): { readonly name: string; readonly version: string } {
  const [, name, version] = PACKAGE.exec(text) ?? [];
  if (name === undefined || version === undefined)
    throw new InvalidArgumentError(
      "Expected the name of a package and its version, such as openssl=3.0.13-0ubuntu3.5.",
    );
  return { name, version };
}

/** A share of the whole, above 0 and up to 1. */
export function share(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value > 0 && value <= 1))
    throw new InvalidArgumentError("Expected a number above 0 and up to 1, such as 0.25.");
  return value;
}

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration as people write it, in milliseconds: `90s`, `1h30m`, `250ms`. */
export function durationMs(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  const isWhole = parts.map(([part]) => part).join("") === text;
  const totalMs = parts.reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS],
    0,
  );
  if (!isWhole || totalMs <= 0)
    throw new InvalidArgumentError("Expected a duration above 0, such as 250ms, 90s, 10m, 1h30m or 1d.");
  return totalMs;
}

/** Reads comma-separated names, in small letters. */
export function names(text: string): readonly string[] {
  return text.split(",").map((name) => name.trim().toLowerCase());
}

/** The updaters that can run in the process of the controllers. */
export function updaterNames(text: string): readonly string[] {
  const given = names(text);
  const unknown = given.find((name) => name !== "azure");
  if (unknown === undefined) return given;
  throw new InvalidArgumentError(`${JSON.stringify(unknown)} is not one of them; the only one is azure.`);
}
