import { boundedText } from "@capstan/api";
import type { HttpResponse } from "@capstan/env";
import { jsonText, sharedText } from "../json.ts";
import type { WatchLine } from "../storage/storage.ts";
import type { Watch } from "../watch/watch.ts";
import type { Status } from "./status.ts";

const JSON_HEADERS = { "content-type": "application/json" };

/** An answer with one JSON value, shared with the caller and not copied. */
export function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status,
    headers: { ...JSON_HEADERS, ...headers },
    json: () => Promise.resolve(body),
    text: () => Promise.resolve(jsonText(body)),
    async *lines() {
      yield body;
    },
  };
}

/** An answer with an immutable object. */
export function objectResponse(
  status: number,
  object: object,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return { ...jsonResponse(status, object, headers), text: () => Promise.resolve(sharedText(object)) };
}

/** An answer with a list of immutable objects. */
export function listResponse(list: { readonly items: readonly object[] }): HttpResponse {
  const text = (): string => {
    const { items, ...head } = list;
    const texts = items.map(sharedText).join(",");
    return `${jsonText(head).slice(0, -1)},"items":[${texts}]}`;
  };
  return { ...jsonResponse(200, list), text: () => Promise.resolve(text()) };
}

/** An answer with a Status. */
export function statusResponse(
  status: Status & { readonly code: number },
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const retryAfter = status.details?.retryAfterSeconds;
  return jsonResponse(status.code, status, {
    ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    ...headers,
  });
}

/** A plain-text answer: kube-apiserver's for paths that belong to no API. */
export function textResponse(status: number, text: string): HttpResponse {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8" },
    json: () => Promise.reject(new SyntaxError(`the body is not JSON: ${text}`)),
    text: () => Promise.resolve(text),
    async *lines() {},
  };
}

/** An answer in a binary format. */
export function bytesResponse(bytes: Uint8Array, contentType: string): HttpResponse {
  return {
    status: 200,
    headers: { "content-type": contentType },
    json: () => Promise.reject(new SyntaxError(`the body is ${contentType}, not JSON`)),
    text: () => Promise.resolve(Buffer.from(bytes).toString("latin1")),
    bytes: () => Promise.resolve(bytes),
    async *lines() {},
  };
}

/** A stream: one JSON value per line. */
export function streamResponse(lines: () => AsyncIterable<unknown>): HttpResponse {
  const all = async (): Promise<string> => {
    let text = "";
    for await (const line of lines()) text += `${jsonText(line)}\n`;
    return text;
  };
  return {
    status: 200,
    // An HTTP server also distinguishes a stream from a body that it may collect by this header.
    headers: { ...JSON_HEADERS, "transfer-encoding": "chunked" },
    json: async () => JSON.parse(await all()) as unknown,
    text: all,
    lines,
  };
}

/** An answer with the events of a watch; each event is serialized once for all watchers. */
export function watchResponse(watch: Watch): HttpResponse {
  return { ...streamResponse(() => watch), chunks: () => printedLines(watch) };
}

// Available lines are sent together, up to about the size of a TLS record and a socket buffer.
const CHUNK_LENGTH = 64 * 1024;

async function* printedLines(watch: Watch): AsyncGenerator<string> {
  for await (const line of watch) {
    let text = lineText(line);
    for (const more of watch.pending()) {
      text += lineText(more);
      if (text.length > CHUNK_LENGTH) break;
    }
    yield text;
  }
}

function lineText({ type, object }: WatchLine): string {
  return `{"type":"${type}","object":${sharedText(object as object)}}\n`;
}

// Clients refuse headers of more than 8 or 16 KiB; kube-apiserver stops after 4 KiB of warnings, too.
const LONGEST_WARNING = 1024;
const LONGEST_WARNINGS = 4096;

/** Warnings as the headers that kubectl prints. */
export function warningHeaders(warnings: readonly string[]): Readonly<Record<string, string>> {
  if (warnings.length === 0) return {};
  let header = "";
  for (const text of warnings) {
    const quoted = `299 - "${boundedText(text, LONGEST_WARNING)
      .replaceAll(/\s/g, " ")
      .replaceAll(/[\\"]/g, String.raw`\$&`)}"`;
    if (header.length + quoted.length > LONGEST_WARNINGS) break;
    header += header === "" ? quoted : `, ${quoted}`;
  }
  return { warning: header };
}
