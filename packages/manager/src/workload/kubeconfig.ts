import { isJsonObject, parseYaml } from "@capstan/api";
import { Sensitive, terminal } from "@capstan/runtime";

/** The supported content of a kubeconfig: the server, and the credentials of both sides. */
export interface KubeconfigFacts {
  readonly server: string;
  /** The name to expect in the server's certificate when it is not the host of the address. */
  readonly serverName?: string;
  /** Certificates to trust instead of the system's, in PEM. */
  readonly authority?: string;
  readonly certificate?: Sensitive;
  readonly key?: Sensitive;
  readonly token?: Sensitive;
}

type Fields = Readonly<Record<string, unknown>>;

// kubectl and clusterctl write a few kilobytes; a certificate chain may be long.
const LARGEST = 32 * 1024;

/** Fields that would run a program, read a file of the manager or send credentials to another server, and their messages. */
const REFUSED_IN_USER: Readonly<Record<string, (value: unknown) => string>> = {
  exec: (value) => `exec runs the program ${shown(fieldsOf(value)["command"])}`,
  "auth-provider": (value) => `auth-provider runs the plugin ${shown(fieldsOf(value)["name"])}`,
  tokenFile: (value) => `tokenFile reads the file ${shown(value)}`,
  "client-certificate": (value) => `client-certificate reads the file ${shown(value)}`,
  "client-key": (value) => `client-key reads the file ${shown(value)}`,
  username: () => "username and password have not been supported by Kubernetes since 1.19",
  password: () => "username and password have not been supported by Kubernetes since 1.19",
  as: (value) => `as impersonates ${shown(value)}`,
  "as-groups": () => "as-groups impersonates groups",
  "as-uid": () => "as-uid impersonates a user",
};

const REFUSED_IN_CLUSTER: Readonly<Record<string, (value: unknown) => string>> = {
  "insecure-skip-tls-verify": (value) =>
    `insecure-skip-tls-verify is ${shown(value)}, so any server could impersonate the API server`,
  "certificate-authority": (value) => `certificate-authority reads the file ${shown(value)}`,
  "proxy-url": (value) => `proxy-url is ${shown(originOf(value))}, which could read the requests`,
};

/**
 * Parses the kubeconfig of a workload cluster. It comes from a Secret that a tenant may write, so it must not run a
 * program, read a file or weaken TLS: each such field is refused with a message that names it. No other byte of the text
 * gets into a message.
 */
export function readKubeconfig(text: string, origin: string): KubeconfigFacts {
  const refuse = (why: string): never => {
    throw terminal("KubeconfigRefused", `${origin}: ${why}`);
  };
  const config = documentOf(text, refuse);
  const contextName = config["current-context"];
  const context = entryOf({ config, list: "contexts", item: "context", name: contextName }, refuse);
  const cluster = entryOf(
    { config, list: "clusters", item: "cluster", name: context.fields["cluster"] },
    refuse,
  );
  const user = entryOf({ config, list: "users", item: "user", name: context.fields["user"] }, refuse);
  refuseFields(cluster, REFUSED_IN_CLUSTER, refuse);
  refuseFields(user, REFUSED_IN_USER, refuse);
  const authority = decoded(cluster, "certificate-authority-data", refuse);
  const certificate = decoded(user, "client-certificate-data", refuse);
  const key = decoded(user, "client-key-data", refuse);
  const { "tls-server-name": serverName } = cluster.fields;
  const { token } = user.fields;
  return {
    server: serverOf(cluster, refuse),
    ...(typeof serverName === "string" && serverName !== "" && { serverName }),
    ...(authority !== undefined && { authority }),
    ...(certificate !== undefined && { certificate: new Sensitive(certificate) }),
    ...(key !== undefined && { key: new Sensitive(key) }),
    ...(typeof token === "string" && token !== "" && { token: new Sensitive(token) }),
  };
}

/** All credentials, for redaction of server responses. */
export function secretsIn({ certificate, key, token }: KubeconfigFacts): string[] {
  return [certificate, key, token].flatMap((secret) => (secret ? [secret.reveal()] : []));
}

type Refuse = (why: string) => never;

interface Entry {
  readonly fields: Fields;
  /** Its path in the text. */
  readonly path: string;
}

function documentOf(text: string, refuse: Refuse): Fields {
  if (text.length > LARGEST) return refuse(`it has ${text.length} characters; at most ${LARGEST} are read`);
  try {
    const value = parseYaml(text);
    return isJsonObject(value) ? value : refuse("it is not a kubeconfig: it is not an object");
  } catch (error) {
    // The parser quotes the text around an error, which may be a key.
    return error instanceof Error && error.name === "YamlError"
      ? refuse("it is not a kubeconfig: it is not YAML")
      : refuseAgain(error);
  }
}

function refuseAgain(error: unknown): never {
  throw error;
}

function entryOf(
  place: { readonly config: Fields; readonly list: string; readonly item: string; readonly name: unknown },
  refuse: Refuse,
): Entry {
  const { config, list, item, name } = place;
  if (typeof name !== "string" || name === "")
    return refuse(`it is not a kubeconfig: it does not select one of its ${list}`);
  const entries = Array.isArray(config[list]) ? (config[list] as unknown[]) : [];
  const index = entries.findIndex((entry) => fieldsOf(entry)["name"] === name);
  if (index < 0) return refuse(`it is not a kubeconfig: ${list} has no entry with the selected name`);
  return { fields: fieldsOf(fieldsOf(entries[index])[item]), path: `${list}[${index}].${item}` };
}

function refuseFields({ fields, path }: Entry, table: typeof REFUSED_IN_USER, refuse: Refuse): void {
  for (const [field, sentence] of Object.entries(table)) {
    const value = fields[field];
    if (value === undefined || value === null || value === false || value === "") continue;
    refuse(`${path}.${sentence(value)}; it must be removed`);
  }
}

function serverOf({ fields, path }: Entry, refuse: Refuse): string {
  const { server } = fields;
  if (typeof server !== "string" || !URL.canParse(server)) {
    return refuse(`${path}.server is not a URL; expected something like https://host:6443`);
  }
  const { protocol, username, password, host } = new URL(server);
  if (protocol !== "https:")
    return refuse(`${path}.server points to ${shown(host)} without TLS; expected https://${host}`);
  if (username !== "" || password !== "")
    return refuse(`${path}.server contains credentials for ${shown(host)}; remove them`);
  return server;
}

function decoded({ fields, path }: Entry, field: string, refuse: Refuse): string | undefined {
  const value = fields[field];
  if (value === undefined || value === null || value === "") return undefined;
  const text = typeof value === "string" ? Buffer.from(value, "base64").toString() : "";
  return text.includes("-----BEGIN ") ? text : refuse(`${path}.${field} is not PEM in base64`);
}

function fieldsOf(value: unknown): Fields {
  return isJsonObject(value) ? value : {};
}

function originOf(value: unknown): unknown {
  return typeof value === "string" && URL.canParse(value) ? new URL(value).origin : "no URL";
}

function shown(value: unknown): string {
  return JSON.stringify(typeof value === "string" ? value.slice(0, 100) : value) ?? "nothing";
}
