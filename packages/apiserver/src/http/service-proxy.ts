import type { Handler, HttpRequest, HttpResponse } from "@capstan/env";
import { splitUrl } from "../request-url.ts";
import { serviceUnavailable } from "./status.ts";

/** The servers behind Services of this process; undefined for a Service that no server is behind. */
export type ServiceBackends = (service: {
  readonly namespace: string;
  readonly name: string;
}) => Handler | undefined;

const PATH =
  /^\/api\/v1\/namespaces\/(?<namespace>[^/]+)\/services\/(?:https?:)?(?<name>[^/:]+)(?::[^/:]*)?\/proxy(?<rest>\/.*)?$/;

/**
 * Passes a request to the server behind a Service, as kube-apiserver does below `services/NAME/proxy`. The caller needs the
 * permission for `services/proxy`. Undefined for any other path.
 */
export async function throughService(
  backends: ServiceBackends | undefined,
  request: HttpRequest,
): Promise<HttpResponse | undefined> {
  const { path, search } = splitUrl(request.path);
  const { namespace, name, rest = "/" } = PATH.exec(path)?.groups ?? {};
  if (namespace === undefined || name === undefined) return undefined;
  const backend = backends?.({ namespace, name });
  if (!backend) throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`);
  return await backend(forwarded(request, search === "" ? rest : `${rest}?${search}`));
}

/** The request that the Service gets. The credential of the caller is for the API server alone. */
function forwarded({ method, headers, body, signal }: HttpRequest, path: string): HttpRequest {
  return {
    method,
    path,
    headers: { "content-type": headers["content-type"] ?? "application/json" },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  };
}
