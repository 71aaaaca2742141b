import type { HttpResponse } from "@capstan/env";

/**
 * What a browser may do with the page: run its own script and style, and speak to its own server. Nothing is inline, nothing
 * comes from elsewhere, and no other site may show it in a frame.
 */
const SECURITY_HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cache-control": "no-store",
} as const;

/** A whole answer. */
export function answer(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status,
    headers: { ...SECURITY_HEADERS, "content-type": "text/plain; charset=utf-8", ...headers },
    text: () => Promise.resolve(body),
    json: () => Promise.resolve(body),
    async *lines() {},
  };
}

/** A stream of events for the browser's EventSource. */
export function eventStream(chunks: () => AsyncIterable<string>): HttpResponse {
  return {
    ...answer(200, "", { "content-type": "text/event-stream", "transfer-encoding": "chunked" }),
    chunks,
  };
}
