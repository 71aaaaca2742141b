import { AzureError } from "../port.ts";

/**
 * Path and query of a link from Azure. Requests to it carry the token, so it must point to the resource manager or to one
 * of its regional hosts.
 */
export function pathOfLink(endpoint: string, link: string): string {
  const url = URL.canParse(link) ? new URL(link) : undefined;
  const home = new URL(endpoint);
  const isHome =
    url?.protocol === home.protocol && (url.host === home.host || url.host.endsWith(`.${home.host}`));
  if (url && isHome) return url.pathname + url.search;
  throw new AzureError({
    class: "Terminal",
    code: "ForeignLink",
    message: `Azure sent a link to ${JSON.stringify(url?.origin ?? link.slice(0, 100))} instead of ${home.origin}; the client does not follow it`,
  });
}
