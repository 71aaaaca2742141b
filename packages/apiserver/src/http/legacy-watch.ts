import { splitUrl } from "../request-url.ts";

const LEGACY = /^(\/api\/[^/]+|\/apis\/[^/]+\/[^/]+)\/watch\/(.+)$/;
// The path of one object: a plural and a name after it, inside of a namespace or not.
const ONE = /^(namespaces\/[^/]+\/[^/]+|(?!namespaces\/[^/]+\/)[^/]+)\/([^/]+)$/;

/**
 * Converts the old form of a watch, a path with `/watch/` in it, into the current one. All later code sees the current
 * form only, so that authorization and routing cannot disagree about an old path.
 */
export function withoutLegacyWatch(method: string, path: string): string {
  return method === "GET" && path.includes("/watch/") ? modernPath(path) : path;
}

function modernPath(path: string): string {
  const { path: route, search } = splitUrl(path);
  const [, root, rest] = LEGACY.exec(route) ?? [];
  if (root === undefined || rest === undefined) return path;
  const query = new URLSearchParams(search);
  query.set("watch", "true");
  const [, collection = rest, name] = ONE.exec(rest) ?? [];
  if (name !== undefined) query.set("fieldSelector", `metadata.name=${decodeURIComponent(name)}`);
  return `${root}/${collection}?${query.toString()}`;
}
