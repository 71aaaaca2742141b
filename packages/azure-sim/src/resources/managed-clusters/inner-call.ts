import { parseTarget } from "../../arm/target.ts";
import type { AzureState } from "../../core/azure-state.ts";
import type { Call } from "../../core/call.ts";
import type { JsonObject } from "../../json.ts";
import { DEFAULT_PRINCIPAL } from "../../settings.ts";

// The versions by which AKS calls Compute and Network do not matter: these types ignore them.
const API_VERSION = "2024-07-01";

/** A request that AKS itself sends to another provider. The journal and the front door do not see it. */
export function innerCall(
  world: AzureState,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body?: JsonObject },
): Call {
  const target = parseTarget(path);
  return {
    method,
    path,
    target,
    query: new URLSearchParams(),
    headers: {},
    body,
    principal: world.settings.principals[0] ?? DEFAULT_PRINCIPAL,
    apiVersion: API_VERSION,
    origin: world.settings.origin,
    nowMs: world.nowMs,
    operation: `${method} ${target.types.join("/")}`,
    notes: { remaining: [], faults: [], headers: {} },
  };
}
