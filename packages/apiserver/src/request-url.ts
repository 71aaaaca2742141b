/** A request target, taken apart once: authorization, routing and everything else must see the same path and query. */
export interface RequestUrl {
  readonly path: string;
  /** Everything after the first question mark. */
  readonly search: string;
}

/** Splits a request target at its first question mark; later ones belong to the query. */
export function splitUrl(target: string): RequestUrl {
  const at = target.indexOf("?");
  return at < 0 ? { path: target, search: "" } : { path: target.slice(0, at), search: target.slice(at + 1) };
}

/** A switch in the query. As in kube-apiserver, anything but a clear no is a yes. */
export function isOn(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  return text !== null && !["", "0", "f", "false"].includes(text.toLowerCase());
}

/** Whether a request for a collection asks for a watch. */
export function asksToWatch(query: URLSearchParams): boolean {
  return isOn(query, "watch");
}
