import type { Handler, HttpResponse } from "@capstan/env";

export interface DiagnosticsOptions {
  /** Reasons why the process cannot work; empty when it can. */
  readonly unready: () => readonly string[];
  readonly metrics: () => string;
}

/** Answers `/healthz`, `/readyz` and `/metrics`; a failing probe has the reasons in its body. */
export function createDiagnostics({ unready, metrics }: DiagnosticsOptions): Handler {
  return async ({ method, path }) => {
    const route = path.split("?")[0] ?? "";
    if (method !== "GET" && method !== "HEAD") return text(405, "only GET is served here\n");
    switch (route) {
      case "/healthz":
        return text(200, "ok\n");
      case "/readyz": {
        const reasons = unready();
        return reasons.length === 0 ? text(200, "ok\n") : text(503, `${reasons.join("\n")}\n`);
      }
      case "/metrics":
        return text(200, metrics(), "text/plain; version=0.0.4; charset=utf-8");
      default:
        return text(404, "served here: /healthz, /readyz, /metrics\n");
    }
  };
}

function text(status: number, body: string, type = "text/plain; charset=utf-8"): HttpResponse {
  return {
    status,
    headers: { "content-type": type },
    text: () => Promise.resolve(body),
    json: () => Promise.reject(new TypeError("diagnostics are plain text")),
    lines: () => {
      throw new TypeError("diagnostics are not a stream");
    },
  };
}
