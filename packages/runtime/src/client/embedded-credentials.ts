import type { HttpTransportOptions } from "@capstan/env";

/** A server, and credentials that never change. */
export interface EmbeddedCredentials {
  readonly endpoint: HttpTransportOptions;
  /** The header that a token becomes. */
  readonly authorization?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields whose meaning is their text; any other one needs the official client, which reads files, runs plugins and knows proxies. */
const PLAIN_IN_CLUSTER: ReadonlySet<string> = new Set(["server", "certificate-authority-data"]);
const PLAIN_IN_USER: ReadonlySet<string> = new Set(["client-certificate-data", "client-key-data", "token"]);

/**
 * What a kubeconfig in JSON says, if it has all that a connection needs in itself; undefined if not, or if anything in it is
 * invalid. Commands merge kubeconfigs into JSON, and most of them need no more: to load the official client takes four times
 * as long as such a command.
 */
export function embeddedCredentials(text: string, context?: string): EmbeddedCredentials | undefined {
  const config = parsed(text);
  const chosen = partOf(config, {
    list: "contexts",
    item: "context",
    name: context ?? config["current-context"],
  });
  const cluster = partOf(config, { list: "clusters", item: "cluster", name: chosen?.["cluster"] });
  const user = partOf(config, { list: "users", item: "user", name: chosen?.["user"] });
  if (!isPlain(cluster, PLAIN_IN_CLUSTER) || !isPlain(user, PLAIN_IN_USER)) return undefined;
  const { token } = user;
  const endpoint = endpointOf(cluster, user);
  return endpoint && { endpoint, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
}

type Texts = Readonly<Record<string, string>>;

function endpointOf(cluster: Texts, user: Texts): HttpTransportOptions | undefined {
  const { server = "", "certificate-authority-data": ca } = cluster;
  const { "client-certificate-data": cert, "client-key-data": key } = user;
  if (!server.startsWith("https:") || !URL.canParse(server)) return undefined;
  return {
    baseUrl: server,
    insecureSkipVerify: false,
    ...(ca !== undefined && { ca: decoded(ca) }),
    ...(cert !== undefined && { cert: decoded(cert) }),
    ...(key !== undefined && { key: decoded(key) }),
  };
}

function parsed(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}

interface Place {
  readonly list: string;
  readonly item: string;
  readonly name: unknown;
}

/** The fields of a list's entry with a name. */
function partOf(config: Fields, { list, item, name }: Place): Fields | undefined {
  const entries = config[list];
  if (typeof name !== "string" || !Array.isArray(entries)) return undefined;
  const entry: unknown = entries.find((one) => fieldsOf(one)["name"] === name);
  return entry === undefined ? undefined : fieldsOf(fieldsOf(entry)[item]);
}

function isPlain(fields: Fields | undefined, plain: ReadonlySet<string>): fields is Texts {
  const entries = Object.entries(fields ?? { missing: undefined });
  return entries.every(([name, value]) => plain.has(name) && typeof value === "string" && value !== "");
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function decoded(base64: string): string {
  return Buffer.from(base64, "base64").toString();
}
