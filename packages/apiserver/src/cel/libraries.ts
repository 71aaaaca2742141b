import type { Environment } from "@marcbachmann/cel-js";
import { RE2JS } from "re2js";
import { registerQuantities } from "./quantities.ts";
import { registerUrls } from "./urls.ts";

type Comparable = string | bigint | number | boolean;
type List = readonly unknown[];

/** Adds the functions of Kubernetes that CEL itself and the library do not have: strings, regex, lists, sets, URLs, quantities. */
export function registerLibraries(environment: Environment): Environment {
  registerStrings(environment);
  registerLists(environment);
  registerSets(environment);
  registerUrls(environment);
  return registerQuantities(environment);
}

function registerStrings(environment: Environment): void {
  environment
    .registerFunction("string.charAt(int): string", (text: string, at: bigint) => {
      return codePointsOf(text)[Number(at)] ?? "";
    })
    .registerFunction("string.replace(string, string): string", (text: string, from: string, to: string) =>
      text.replaceAll(from, () => to),
    )
    .registerFunction(
      "string.replace(string, string, int): string",
      (text: string, ...[from, to, count]: [string, string, bigint]) =>
        replaced(text, { from, to, count: Number(count) }),
    )
    .registerFunction("string.reverse(): string", (text: string) => codePointsOf(text).toReversed().join(""))
    .registerFunction(
      "string.find(string): string",
      (text: string, pattern: string) => found(text, pattern, 1)[0] ?? "",
    )
    .registerFunction("string.findAll(string): list<string>", (text: string, pattern: string) =>
      found(text, pattern, Infinity),
    )
    .registerFunction(
      "string.findAll(string, int): list<string>",
      (text: string, pattern: string, count: bigint) =>
        found(text, pattern, count < 0n ? Infinity : Number(count)),
    );
}

/** CEL counts code points. */
function codePointsOf(text: string): readonly string[] {
  return Array.from(text);
}

function replaced(text: string, { from, to, count }: { from: string; to: string; count: number }): string {
  if (count < 0) return text.replaceAll(from, () => to);
  const parts = text.split(from);
  const head = parts.slice(0, count + 1).join(to);
  return [head, ...parts.slice(count + 1)].join(from);
}

function found(text: string, pattern: string, atMost: number): string[] {
  const matcher = RE2JS.compile(pattern).matcher(text);
  const matches: string[] = [];
  while (matches.length < atMost && matcher.find()) matches.push(matcher.group() ?? "");
  return matches;
}

function registerLists(environment: Environment): void {
  environment
    .registerFunction("list.sum(): dyn", sum)
    .registerFunction("list.min(): dyn", (list: List) => extreme(list, (one, other) => one < other))
    .registerFunction("list.max(): dyn", (list: List) => extreme(list, (one, other) => one > other))
    .registerFunction("list.isSorted(): bool", (list: readonly Comparable[]) =>
      list.every((one, index) => index === 0 || (list[index - 1] as Comparable) <= one),
    )
    .registerFunction("list.indexOf(dyn): int", (list: List, item: unknown) => BigInt(list.indexOf(item)))
    .registerFunction("list.lastIndexOf(dyn): int", (list: List, item: unknown) =>
      BigInt(list.lastIndexOf(item)),
    );
}

function sum(list: List): unknown {
  if (list.every((one) => typeof one === "bigint")) return list.reduce<bigint>((all, one) => all + one, 0n);
  if (list.every((one) => typeof one === "number")) return list.reduce<number>((all, one) => all + one, 0);
  throw new TypeError("no such overload");
}

function extreme(list: List, isBetter: (one: Comparable, other: Comparable) => boolean): unknown {
  if (list.length === 0) throw new Error("min or max called on empty list");
  return (list as readonly Comparable[]).reduce((best, one) => (isBetter(one, best) ? one : best));
}

/** A namespace of functions, as `sets` in `sets.contains(a, b)`. */
class Sets {
  readonly namespace = "sets";
}

function registerSets(environment: Environment): void {
  const inAll = (list: List, items: List): boolean => {
    const known = new Set(list);
    return items.every((item) => known.has(item));
  };
  environment
    .registerType("Sets", Sets)
    .registerConstant("sets", "Sets", new Sets())
    .registerFunction("Sets.contains(list, list): bool", (_: Sets, list: List, items: List) =>
      inAll(list, items),
    )
    .registerFunction(
      "Sets.equivalent(list, list): bool",
      (_: Sets, one: List, other: List) => inAll(one, other) && inAll(other, one),
    )
    .registerFunction("Sets.intersects(list, list): bool", (_: Sets, one: List, other: List) => {
      const known = new Set(one);
      return other.some((item) => known.has(item));
    });
}
