import type { Environment } from "@marcbachmann/cel-js";

/** Adds Kubernetes' functions on URLs. */
export function registerUrls(environment: Environment): Environment {
  return environment
    .registerType("URL", URL)
    .registerFunction("isURL(string): bool", (text: string) => parsed(text) !== undefined)
    .registerFunction("url(string): URL", (text: string) => {
      const url = parsed(text);
      if (!url)
        throw new Error(
          `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
        );
      return url;
    })
    .registerFunction("URL.getScheme(): string", (url: URL) => url.protocol.replace(/:$/, ""))
    .registerFunction("URL.getHost(): string", (url: URL) => url.host)
    .registerFunction("URL.getHostname(): string", (url: URL) => url.hostname.replace(/^\[|\]$/g, ""))
    .registerFunction("URL.getPort(): string", (url: URL) => url.port)
    .registerFunction("URL.getEscapedPath(): string", (url: URL) => url.pathname)
    .registerFunction("URL.getQuery(): map<string, list<string>>", (url: URL) => {
      const query = new Map<string, string[]>();
      for (const [name, value] of url.searchParams) query.set(name, [...(query.get(name) ?? []), value]);
      return query;
    });
}

// Go keeps the port and the path as they are written; only absolute URLs and absolute paths are accepted.
const ABSOLUTE_PATH = /^\//;

function parsed(text: string): URL | undefined {
  if (ABSOLUTE_PATH.test(text)) return undefined;
  return URL.canParse(text) ? new URL(text) : undefined;
}
