import type { Handler, HttpResponse } from "@capstan/env";

export interface DiagnosticsOptions {
  /** Reasons why the process cannot be sent requests; empty when it can. */
  readonly unready: () => readonly string[];
  /** Parts of the process that become ready on their own, by name: `/readyz/NAME`. */
  readonly parts?: Readonly<Record<string, () => readonly string[]>>;
  readonly metrics: () => string;
}

/** Answers `/healthz`, `/readyz`, `/readyz/PART` and `/metrics`; a failing probe has the reasons in its body. */
export function createDiagnostics({ unready, parts = {}, metrics }: DiagnosticsOptions): Handler {
  const probes = new Map([
    ["/readyz", unready],
    ...Object.entries(parts).map(([name, reasons]) => [`/readyz/${name}`, reasons] as const),
  ]);
  const served = ["/healthz", ...probes.keys(), "/metrics"].join(", ");
  return async ({ method, path }) => {
    const route = path.split("?")[0] ?? "";
    if (method !== "GET" && method !== "HEAD") return text(405, "only GET is served here\n");
    if (route === "/healthz") return text(200, "ok\n");
    if (route === "/metrics") return text(200, metrics(), "text/plain; version=0.0.4; charset=utf-8");
    const reasons = probes.get(route)?.();
    if (!reasons) return text(404, `served here: ${served}\n`);
    return reasons.length === 0 ? text(200, "ok\n") : text(503, `${reasons.join("\n")}\n`);
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
