const LEGACY = /^(\/api\/[^/]+|\/apis\/[^/]+\/[^/]+)\/watch\/(.+)$/;
// The path of one object: a plural and a name behind it, inside of a namespace or not.
const ONE = /^(namespaces\/[^/]+\/[^/]+|(?!namespaces\/[^/]+\/)[^/]+)\/([^/]+)$/;

/**
 * Turns the old way to watch, a path with `/watch/` in it, into the one that replaced it. Everything behind this
 * sees the new way alone, so that rights and routes cannot disagree about what an old path means.
 */
export function withoutLegacyWatch(method: string, path: string): string {
  return method === "GET" && path.includes("/watch/") ? modernPath(path) : path;
}

function modernPath(path: string): string {
  const [route = "", search] = path.split("?", 2);
  const [, root, rest] = LEGACY.exec(route) ?? [];
  if (root === undefined || rest === undefined) return path;
  const query = new URLSearchParams(search);
  query.set("watch", "true");
  const [, collection = rest, name] = ONE.exec(rest) ?? [];
  if (name !== undefined) query.set("fieldSelector", `metadata.name=${decodeURIComponent(name)}`);
  return `${root}/${collection}?${query.toString()}`;
}
