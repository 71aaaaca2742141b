import type { HttpRequest, HttpResponse, Tunnel } from "@capstan/env";
import { attributesOf, type Caller } from "../security/attributes.ts";
import { forbidden } from "../security/forbidden.ts";
import { isAllowed, type PolicySource } from "../security/rbac.ts";
import { splitUrl } from "../request-url.ts";
import { jsonResponse } from "./response.ts";
import { badRequest, serviceUnavailable } from "./status.ts";

/** The servers in pods of this process; undefined for a port on which none listens. */
export type PodBackends = (target: {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}) => Tunnel["accept"] | undefined;

/** What a port-forward needs of the API server. */
export interface PortForwarding {
  readonly pods: PodBackends | undefined;
  readonly policy: PolicySource;
}

const PATH = /^\/api\/v1\/namespaces\/(?<namespace>[^/]+)\/pods\/(?<pod>[^/]+)\/portforward$/;
const PORT = /^[1-9]\d{0,4}$/;

/**
 * Opens a port-forward to a pod, as kube-apiserver does below `pods/NAME/portforward`. Since 1.35 the caller needs the verb
 * create besides get. Undefined for any other path.
 */
export function throughPod(
  { pods, policy }: PortForwarding,
  request: HttpRequest,
  { user }: Caller,
): HttpResponse | undefined {
  const { path, search } = splitUrl(request.path);
  const { namespace, pod } = PATH.exec(path)?.groups ?? {};
  if (namespace === undefined || pod === undefined) return undefined;
  const attributes = { ...attributesOf(request), verb: "create" };
  if (!isAllowed(policy, user, attributes)) throw forbidden(user, attributes);
  if (request.headers["upgrade"]?.toLowerCase() !== "websocket")
    throw badRequest("Upgrade request required: a port-forward is served over WebSocket");
  const port = portIn(search);
  const accept = pods?.({ namespace, pod, port });
  if (!accept) throw serviceUnavailable(`no server listens on port ${port} of pod ${JSON.stringify(pod)}`);
  return { ...jsonResponse(200, {}), tunnel: { port, accept } };
}

function portIn(search: string): number {
  const given = new URLSearchParams(search).getAll("ports").join(",");
  if (PORT.test(given)) return Number(given);
  throw badRequest(`query parameter "ports" is ${JSON.stringify(given)}: must be one port, such as 2379`);
}
