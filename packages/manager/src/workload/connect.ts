import { createHttpTransport, type HttpResponse, type Transport, TransportError } from "@capstan/env";
import { type KubeconfigFacts, secretsIn } from "./kubeconfig.ts";

/** Opens a connection to the server of a kubeconfig. */
export type ConnectToCluster = (facts: KubeconfigFacts) => Transport;

/** Over real sockets. */
export function connectToCluster(facts: KubeconfigFacts): Transport {
  const { server, serverName, authority, certificate, key, token } = facts;
  const transport = createHttpTransport({
    baseUrl: server,
    ...(serverName !== undefined && { serverName }),
    ...(authority !== undefined && { ca: authority }),
    ...(certificate && { cert: certificate.reveal() }),
    ...(key && { key: key.reveal() }),
  });
  if (!token) return transport;
  const authorization = `Bearer ${token.reveal()}`;
  return {
    request: (request) => transport.request({ ...request, headers: { ...request.headers, authorization } }),
    close: () => transport.close(),
  };
}

const CONCEALED = "[redacted]";

/** The same transport, with the manager's credentials redacted from error responses. */
export function concealing(transport: Transport, facts: KubeconfigFacts): Transport {
  const secrets = secretsIn(facts).flatMap(spellings);
  const conceal = (text: string): string =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, CONCEALED), text);
  return {
    request: async (request) => {
      try {
        const response = await transport.request(request);
        return response.status < 400 ? response : concealed(response, conceal);
      } catch (error) {
        if (!(error instanceof TransportError)) throw error;
        throw new TransportError(error.failure, conceal(error.message));
      }
    },
    close: () => transport.close(),
  };
}

/** A key may appear as in the kubeconfig, or line by line. */
function spellings(secret: string): string[] {
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= 16 && !line.startsWith("-----"));
  return [secret, Buffer.from(secret).toString("base64"), ...lines];
}

function concealed(response: HttpResponse, conceal: (text: string) => string): HttpResponse {
  const { status, headers } = response;
  const text = async (): Promise<string> => conceal(await response.text());
  return {
    status,
    headers,
    text,
    json: async () => JSON.parse(await text()) as unknown,
    lines: () => response.lines(),
  };
}
