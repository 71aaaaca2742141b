import type { HttpRequest, HttpResponse } from "@capstan/env";
import { answer } from "./answers.ts";

const LONGEST_PATH = 2048;

/** Why a request is not even looked at: what other sites, and names that lead here by a foreign name server, may not ask. */
export function refusalOf(request: HttpRequest, port: number): HttpResponse | undefined {
  const { host = "" } = request.headers;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`)
    return answer(421, "this server answers for 127.0.0.1 alone");
  if (request.path.length > LONGEST_PATH) return answer(414, "the address is too long");
  if (request.method !== "GET" && request.method !== "POST")
    return answer(405, "only GET and POST", { allow: "GET, POST" });
  // A link on another site may lead to a view; the page then asks for everything else itself.
  const isAllowed = isOfThisPage(request, host) || (isNavigation(request) && !request.path.startsWith("/s/"));
  return isAllowed ? undefined : answer(403, "another site may not ask for this");
}

/** Browsers send the origin with each POST. */
function isOfThisPage({ method, headers }: HttpRequest, host: string): boolean {
  const { origin, "sec-fetch-site": fetchSite = "same-origin" } = headers;
  if (fetchSite !== "same-origin" && fetchSite !== "none") return false;
  return origin === undefined ? method === "GET" : origin === `http://${host}`;
}

function isNavigation({ method, headers }: HttpRequest): boolean {
  return method === "GET" && headers["sec-fetch-mode"] === "navigate";
}
