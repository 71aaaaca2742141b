import { AzureError } from "../port.ts";

/** The HTTP verb of a request; reads are divided by their cost. */
export type Verb = "GET" | "LIST" | "HEAD" | "PUT" | "PATCH" | "POST" | "DELETE" | "POLL";

/** The target of a request, parsed from its path. */
export interface Target {
  /** The verb and the resource type without names, by which calls are counted. */
  readonly operation: string;
  readonly verb: Verb;
  readonly subscription: string;
  /** Lower case; empty for subscriptions and resource groups. */
  readonly provider: string;
  /** Lower case, without the provider, such as `virtualmachinescalesets/virtualmachines`. */
  readonly type: string;
  /** The path in lower case of the resource whose budget is charged: a scale set is also charged for its instances. */
  readonly resource: string;
  /** The whole path in lower case, with the action of a POST. */
  readonly path: string;
  /** The region, if the path has it. */
  readonly location?: string;
}

// Characters that would change the path or start a query.
const FORBIDDEN_CHARACTER = /[\s\p{C}\\?#%]/u;

/** Parses a path. Throws an AzureError if it is not the path of a resource. */
export function targetOf(verb: Verb, path: string): Target {
  const segments = segmentsOf(path);
  const subscription = (segments[1] ?? "").toLowerCase();
  const at = segments.findLastIndex((segment) => segment.toLowerCase() === "providers");
  if (at < 0 || segments[at + 1] === undefined) return { ...groupTarget(verb, segments), subscription };
  const provider = (segments[at + 1] ?? "").toLowerCase();
  const rest = segments.slice(at + 2);
  const types = rest.filter((_, index) => index % 2 === 0);
  const named = verb === "POLL" ? rest.length : Math.min(2, rest.length - (rest.length % 2));
  const location = locationOf(rest);
  return {
    operation: verb === "POLL" ? `POLL ${segments[at + 1]}` : `${verb} ${types.join("/")}`,
    verb,
    subscription,
    provider,
    type: types.join("/").toLowerCase(),
    resource: `/${segments.slice(0, at + 2 + named).join("/")}`.toLowerCase(),
    path: path.toLowerCase(),
    ...(location !== undefined && { location }),
  };
}

function groupTarget(verb: Verb, segments: readonly string[]): Omit<Target, "subscription"> {
  const [, , groups, , ...rest] = segments;
  const type = [groups ?? "subscriptions", ...rest].join("/");
  return {
    operation: verb === "POLL" ? "POLL Microsoft.Resources" : `${verb} ${type}`,
    verb,
    provider: "",
    type: type.toLowerCase(),
    resource: `/${segments.slice(0, 4).join("/")}`.toLowerCase(),
    path: `/${segments.join("/")}`.toLowerCase(),
  };
}

function locationOf([word, name]: readonly string[]): string | undefined {
  return word?.toLowerCase() === "locations" ? name?.toLowerCase() : undefined;
}

function segmentsOf(path: string): readonly string[] {
  const [first, ...segments] = path.split("/");
  const isFine =
    first === "" &&
    segments[0]?.toLowerCase() === "subscriptions" &&
    segments.length > 1 &&
    segments.every(
      (segment) =>
        segment !== "" && segment !== "." && segment !== ".." && !FORBIDDEN_CHARACTER.test(segment),
    );
  if (isFine) return segments;
  throw new AzureError({
    class: "Terminal",
    code: "InvalidResourceId",
    message: `${JSON.stringify(path.slice(0, 300))} is not the path of a resource: it must start with "/subscriptions/" and a subscription id, and no part of it may be empty, ".", ".." or contain spaces, "?", "#", "%" or a backslash`,
  });
}
