import { createHttpTransport, type Transport } from "@capstan/env";
import type { Connect } from "./http-client.ts";

/** How to reach servers on the network. */
export interface NetworkOptions {
  /** URL of an HTTP proxy. */
  readonly proxyUrl?: string;
  /** Hosts that are reached without it, as in NO_PROXY: names with everything below them, or `*`. */
  readonly noProxy?: readonly string[];
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string;
}

/** Connections over real sockets, one pool for each server. */
export interface Network {
  readonly connect: Connect;
  /** Closes idle connections, after the running requests have ended. */
  close(): Promise<void>;
}

/** Connects to servers by their origin and keeps the connections. There are three or four: ARM, Entra, the machine's own. */
export function createNetwork(options: NetworkOptions = {}): Network {
  const transports = new Map<string, Transport>();
  const open = (origin: string): Transport => {
    const proxyUrl = proxyFor(origin, options);
    return createHttpTransport({
      baseUrl: origin,
      ...(proxyUrl !== undefined && { proxyUrl }),
      ...(options.ca !== undefined && { ca: options.ca }),
    });
  };
  return {
    connect: (origin) => {
      const known = transports.get(origin) ?? open(origin);
      transports.set(origin, known);
      return known;
    },
    close: async () => {
      await Promise.all([...transports.values()].map((transport) => transport.close()));
    },
  };
}

/** The metadata service of the machine answers only the machine itself. */
const METADATA_HOST = "169.254.169.254";

/** The proxy for a server; undefined when it is reached directly. */
export function proxyFor(origin: string, { proxyUrl, noProxy = [] }: NetworkOptions): string | undefined {
  const { hostname } = new URL(origin);
  const direct = [METADATA_HOST, ...noProxy].some((entry) => isWithin(hostname, entry.trim().toLowerCase()));
  return direct ? undefined : proxyUrl;
}

function isWithin(hostname: string, entry: string): boolean {
  const name = entry.replace(/^\*?\./, "");
  if (name === "") return false;
  return name === "*" || hostname === name || hostname.endsWith(`.${name}`);
}
