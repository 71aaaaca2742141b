import {
  createHttpTransport,
  type HttpResponse,
  type HttpTransportOptions,
  type Transport,
  TransportError,
} from "@capstan/env";
import { type KubeconfigFacts, secretsIn } from "./kubeconfig.ts";

/** Opens a connection to the server of a kubeconfig. */
export type ConnectToCluster = (facts: KubeconfigFacts) => Transport;

/** Over real sockets. */
export function connectToCluster(facts: KubeconfigFacts): Transport {
  const { server, headers } = apiServerOf(facts);
  const transport = createHttpTransport(server);
  if (Object.keys(headers).length === 0) return transport;
  return {
    request: (request) => transport.request({ ...request, headers: { ...request.headers, ...headers } }),
    close: () => transport.close(),
  };
}

/** An API server, and what each request to it carries. */
interface ApiServerAccess {
  readonly server: HttpTransportOptions;
  readonly headers: Readonly<Record<string, string>>;
}

/** The server and the credentials of a kubeconfig, as transports take them. */
export function apiServerOf(facts: KubeconfigFacts): ApiServerAccess {
  const { server, serverName, authority, certificate, key, token } = facts;
  return {
    server: {
      baseUrl: server,
      ...(serverName !== undefined && { serverName }),
      ...(authority !== undefined && { ca: authority }),
      ...(certificate && { cert: certificate.reveal() }),
      ...(key && { key: key.reveal() }),
    },
    headers: token ? { authorization: `Bearer ${token.reveal()}` } : {},
  };
}

const CONCEALED = "[redacted]";

/** The same transport, with the manager's credentials redacted from error responses. */
export function concealing(transport: Transport, facts: KubeconfigFacts): Transport {
  const conceal = concealer(facts);
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

/** Redacts the manager's credentials from a text. */
export function concealer(facts: KubeconfigFacts): (text: string) => string {
  const secrets = secretsIn(facts).flatMap(spellings);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, CONCEALED), text);
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
