import { signal } from "@preact/signals";
import type { StreamRequest } from "../addresses.ts";
import { AZURE_LISTS } from "../azure-protocol.ts";

/** Which view the address names, and what the user has searched. */
export interface Route {
  readonly path: string;
  readonly request: StreamRequest;
  readonly search: string;
  /** The selected row. */
  readonly selected: string;
  /** Whether it is the view of plans, which streams nothing. */
  readonly isPlan: boolean;
}

/** The address of the view of plans. */
export const PLAN_PATH = "/plan";

/** The route of an address; an unknown one is the fleet. */
function routeOf(pathname: string, query: string): Route {
  const parts = pathname
    .split("/")
    .filter((part) => part !== "")
    .map(decoded);
  const parameters = new URLSearchParams(query);
  const rest = {
    path: pathname,
    search: parameters.get("q") ?? "",
    selected: parameters.get("on") ?? "",
    isPlan: pathname === PLAN_PATH,
  };
  return { ...rest, request: requestOf(parts) };
}

function requestOf([what, ...names]: readonly string[]): StreamRequest {
  const [first = "", second = "", third = ""] = names;
  if (what === "clusters" && names.length === 2) return { view: "cluster", namespace: first, name: second };
  if (what === "rollouts" && names.length === 3)
    return { view: "rollout", kind: first, namespace: second, name: third };
  if (what === "azure") return { view: "azure", name: first === "" ? AZURE_LISTS[0] : first };
  return { view: "fleet" };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a cluster. */
export function clusterPath(namespace: string, name: string): string {
  return `/clusters/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}

/** The address of a rollout. */
export function rolloutPath(kind: string, namespace: string, name: string): string {
  return `/rollouts/${[kind, namespace, name].map(encodeURIComponent).join("/")}`;
}

/** The address of a list of the simulated Azure. */
export function azurePath(list: string): string {
  return `/azure/${list}`;
}

const here = (): Route => routeOf(location.pathname, location.search);

/** The route that is shown. */
export const route = signal(here());

addEventListener("popstate", () => {
  route.value = here();
});

/** Shows another view, as a link does. */
function go(path: string): void {
  history.pushState(null, "", path);
  route.value = here();
  scrollTo(0, 0);
}

/** Changes what the address says of this view, without a step of the history. */
export function refine(changes: { readonly q?: string; readonly on?: string }): void {
  const parameters = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") parameters.delete(name);
    else parameters.set(name, value);
  }
  const query = parameters.toString();
  history.replaceState(null, "", query === "" ? location.pathname : `${location.pathname}?${query}`);
  route.value = here();
}

/** Follows a click on a link inside the page. */
export function onLink(event: MouseEvent & { currentTarget: HTMLAnchorElement }): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(event.currentTarget.pathname);
}
