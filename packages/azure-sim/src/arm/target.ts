import { ArmError } from "./errors.ts";

/** What a request addresses: the parts of an ARM path. Names keep the caller's case; comparisons ignore case. */
export interface Target {
  readonly path: string;
  readonly subscription?: string;
  readonly group?: string;
  readonly provider?: string;
  /** Resource types from the outside in, such as virtualMachineScaleSets, virtualMachines. */
  readonly types: readonly string[];
  /** Their names; one fewer than types when the path ends in a collection or an action. */
  readonly names: readonly string[];
  /** The path before the last `/providers/`: the scope of an extension resource such as tags. */
  readonly scopePath: string;
  /** The segments after the subscription or group when the path has no provider, such as `resources`. */
  readonly rest: readonly string[];
}

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Parses an ARM path; refuses an invalid one in ARM's words. */
export function parseTarget(path: string): Target {
  const segments = path.split("/").slice(1).map(decode);
  if (segments.at(-1) === "") segments.pop();
  if (segments.includes("")) throw malformed(path);
  const [first, subscription, ...tail] = segments;
  if (first?.toLowerCase() === "providers")
    return { path, types: [], names: [], scopePath: "", rest: segments };
  if (first?.toLowerCase() !== "subscriptions") throw malformed(path);
  if (subscription === undefined) return { path, types: [], names: [], scopePath: "", rest: segments };
  if (!GUID.test(subscription)) {
    throw new ArmError(400, {
      code: "InvalidSubscriptionId",
      message: `The provided subscription identifier '${subscription}' is malformed or invalid.`,
    });
  }
  return { path, subscription, ...belowSubscription(segments, tail) };
}

type Below = Omit<Target, "path" | "subscription">;

function belowSubscription(segments: readonly string[], tail: readonly string[]): Below {
  const hasGroup = tail[0]?.toLowerCase() === "resourcegroups" && tail.length > 1;
  const group = hasGroup ? tail[1] : undefined;
  const inside = hasGroup ? tail.slice(2) : tail;
  const groupPart = group === undefined ? {} : { group };
  const providers = segments.findLastIndex((segment) => segment.toLowerCase() === "providers");
  const provider = segments[providers + 1];
  if (providers < 0 || provider === undefined) {
    return { ...groupPart, types: [], names: [], scopePath: `/${segments.join("/")}`, rest: inside };
  }
  const chain = segments.slice(providers + 2);
  return {
    ...groupPart,
    provider,
    types: chain.filter((_, index) => index % 2 === 0),
    names: chain.filter((_, index) => index % 2 === 1),
    scopePath: `/${segments.slice(0, providers).join("/")}`,
    rest: [],
  };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function malformed(path: string): ArmError {
  return new ArmError(404, {
    code: "InvalidResourceId",
    message: `The request path '${path}' is not a valid Azure resource id. It starts with '/subscriptions/{subscriptionId}' and has no empty segment.`,
  });
}

/** Whether the path ends in a name, and so addresses one resource. */
export function isResource({ types, names }: Target): boolean {
  return types.length > 0 && types.length === names.length;
}

/** The key that a resource is stored by: its id in lower case. */
export function keyOf(id: string): string {
  return id.toLowerCase();
}

/** The id in the spelling that ARM returns. */
export function resourceId(target: Target, types: readonly string[]): string {
  const { subscription, group, provider, names } = target;
  const chain = types.map((type, index) => `${type}/${names[index]}`).join("/");
  const scope = group === undefined ? "" : `/resourceGroups/${group}`;
  return `/subscriptions/${subscription}${scope}/providers/${provider}/${chain}`;
}
