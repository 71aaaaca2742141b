import { yamlText } from "@capstan/api";
import type { HttpRequest, HttpResponse } from "@capstan/env";
import { jsonText } from "../json.ts";
import { isOn, splitUrl } from "../request-url.ts";

// Users of these tools want readable output; kube-apiserver indents it for them, too.
const READERS = /^(?:curl|Wget|Mozilla\/5\.0)/;

/** Prints a JSON answer with indentation, or as YAML, if the request wants that. Streams stay as they are. */
export async function encoded(
  response: HttpResponse,
  request: HttpRequest,
  encoding: "json" | "yaml",
): Promise<HttpResponse> {
  const isJson = response.headers["content-type"] === "application/json";
  if (!isJson || response.headers["transfer-encoding"] === "chunked") return response;
  if (encoding === "yaml") return reprinted(response, yamlText(await response.json()), "application/yaml");
  if (!isPretty(request)) return response;
  return reprinted(response, `${jsonText(await response.json(), 2)}\n`, "application/json");
}

function isPretty({ path, headers }: HttpRequest): boolean {
  const { search } = splitUrl(path);
  if (search.includes("pretty=")) return isOn(new URLSearchParams(search), "pretty");
  return READERS.test(headers["user-agent"] ?? "");
}

function reprinted(response: HttpResponse, text: string, type: string): HttpResponse {
  return {
    ...response,
    headers: { ...response.headers, "content-type": type },
    text: () => Promise.resolve(text),
  };
}
