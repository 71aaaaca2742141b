import { isJsonObject, parseYaml, type Taint, YamlError } from "@capstan/api";
import { GuestFault } from "./failure.ts";

/** The parameters of `kubeadm join`. */
export interface JoinRequest {
  readonly endpoint: string;
  readonly token: { readonly id: string; readonly secret: string };
  readonly caCertHashes: readonly string[];
  /** The computer's own name unless given. */
  readonly nodeName?: string;
  /** Whether the machine becomes a control plane. */
  readonly isControlPlane: boolean;
  readonly taints: readonly Taint[];
  readonly labels: Readonly<Record<string, string>>;
  readonly kubeletArgs: Readonly<Record<string, string>>;
}

type JsonObject = Readonly<Record<string, unknown>>;

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
// Flags without a value; all other flags take the next word.
const SWITCHES = new Set([
  "--control-plane",
  "--discovery-token-unsafe-skip-ca-verification",
  "--dry-run",
  "--help",
]);

/** Parses a `kubeadm join` command; `readFile` returns the file of --config. */
export function readJoinCommand(
  command: string,
  readFile: (path: string) => string | undefined,
): JoinRequest {
  const { words, flags } = wordsOf(command);
  const path = flags.get("--config");
  if (path === undefined) return fromFlags(words, flags);
  const text = readFile(path);
  if (text === undefined) {
    throw new GuestFault("BadJoinConfiguration", `unable to read config from "${path}": no such file`);
  }
  return fromConfiguration(joinConfigurationIn(text, path), path);
}

function wordsOf(command: string): { words: string[]; flags: Map<string, string> } {
  const words: string[] = [];
  const flags = new Map<string, string>();
  // Continued lines belong to the command; what follows `&&`, `|` or `;` does not.
  const [own = ""] = command.replaceAll("\\\n", " ").split(/&&|\|\||[;|>\n]/);
  const parts = own
    .split(/\s+/)
    .filter((part) => part !== "")
    .map((part) => part.replaceAll(/["']/g, ""));
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] ?? "";
    const [name = "", ...rest] = part.split("=");
    if (!part.startsWith("-")) words.push(part);
    else if (rest.length > 0) flags.set(name, rest.join("="));
    else flags.set(part, SWITCHES.has(part) ? "true" : (parts[++index] ?? ""));
  }
  return { words, flags };
}

function fromFlags(words: readonly string[], flags: ReadonlyMap<string, string>): JoinRequest {
  const hash = flags.get("--discovery-token-ca-cert-hash");
  const nodeName = flags.get("--node-name");
  return requestOf({
    endpoint: words[0],
    token: flags.get("--token") ?? flags.get("--discovery-token"),
    caCertHashes: hash === undefined ? [] : [hash],
    isUnsafe: flags.has("--discovery-token-unsafe-skip-ca-verification"),
    isControlPlane: flags.has("--control-plane"),
    registration: nodeName === undefined ? {} : { name: nodeName },
  });
}

function joinConfigurationIn(text: string, path: string): JsonObject {
  for (const document of text.split(/^---\s*$/m)) {
    if (document.trim() === "") continue;
    const value = yamlIn(document, path);
    if (isJsonObject(value) && value["kind"] === "JoinConfiguration") return value;
  }
  throw new GuestFault("BadJoinConfiguration", `no JoinConfiguration found in config file "${path}"`);
}

function yamlIn(text: string, path: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    if (error instanceof YamlError) throw new GuestFault("BadJoinConfiguration", `${path} ${error.message}`);
    throw error;
  }
}

function fromConfiguration(configuration: JsonObject, path: string): JoinRequest {
  const discovery = objectAt(configuration, "discovery");
  if (!isJsonObject(discovery["bootstrapToken"])) {
    const given = Object.keys(discovery).join(", ") || "nothing";
    throw new GuestFault(
      "UnsupportedDiscovery",
      `${path}: discovery: has ${given}; guests can only join by discovery.bootstrapToken`,
    );
  }
  const byToken = discovery["bootstrapToken"];
  return requestOf({
    endpoint: byToken["apiServerEndpoint"],
    token: byToken["token"] ?? discovery["tlsBootstrapToken"],
    caCertHashes: textsIn(byToken["caCertHashes"]),
    isUnsafe: byToken["unsafeSkipCAVerification"] === true,
    isControlPlane: configuration["controlPlane"] !== undefined && configuration["controlPlane"] !== null,
    registration: objectAt(configuration, "nodeRegistration"),
  });
}

interface Given {
  readonly endpoint: unknown;
  readonly token: unknown;
  readonly caCertHashes: readonly string[];
  readonly isUnsafe: boolean;
  readonly isControlPlane: boolean;
  readonly registration: JsonObject;
}

/** Validates flags and files by the same rules, as kubeadm does. */
function requestOf(given: Given): JoinRequest {
  const { endpoint, token, caCertHashes, isUnsafe, isControlPlane } = given;
  const discovery = { endpoint: endpointIn(endpoint), token: tokenIn(token), caCertHashes };
  if (caCertHashes.length === 0 && !isUnsafe) {
    throw invalid(
      "discovery.bootstrapToken.caCertHashes: must not be empty unless unsafeSkipCAVerification is true",
    );
  }
  const { nodeName, taints, labels, kubeletArgs } = registrationIn({ nodeRegistration: given.registration });
  return {
    ...discovery,
    isControlPlane,
    ...(nodeName !== undefined && { nodeName }),
    taints: taints ?? (isControlPlane ? controlPlaneTaints() : []),
    labels: { ...labels, ...(isControlPlane && CONTROL_PLANE_LABELS) },
    kubeletArgs,
  };
}

/** How a machine registers its Node, from the documents of `kubeadm init` and `kubeadm join`. */
export interface Registration {
  readonly nodeName?: string;
  /** Undefined lets kubeadm decide; an empty list means none. */
  readonly taints?: readonly Taint[];
  readonly labels: Readonly<Record<string, string>>;
  readonly kubeletArgs: Readonly<Record<string, string>>;
}

/** The labels that kubeadm gives to Nodes of control planes. */
export const CONTROL_PLANE_LABELS: Readonly<Record<string, string>> = {
  "node-role.kubernetes.io/control-plane": "",
  "node.kubernetes.io/exclude-from-external-load-balancers": "",
};

/** The taints of control planes, unless the configuration has others. */
export function controlPlaneTaints(): readonly Taint[] {
  return [{ key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" }];
}

/** Reads `nodeRegistration`. */
export function registrationIn(configuration: JsonObject): Registration {
  const registration = objectAt(configuration, "nodeRegistration");
  const kubeletArgs = argumentsIn(registration["kubeletExtraArgs"]);
  const { name, taints } = registration;
  return {
    // The kubelet and kubeadm write node names in lower case.
    ...(typeof name === "string" && name !== "" && { nodeName: name.trim().toLowerCase() }),
    ...(taints !== undefined && taints !== null && { taints: taintsIn(taints) }),
    labels: labelsIn(kubeletArgs["node-labels"]),
    kubeletArgs,
  };
}

function endpointIn(given: unknown): string {
  if (typeof given === "string" && /^[^\s/]+:\d+$/.test(given)) return given;
  throw invalid(`discovery.bootstrapToken.apiServerEndpoint: ${shown(given)}: must be HOST:PORT`);
}

function tokenIn(given: unknown): JoinRequest["token"] {
  const [, id, secret] = (typeof given === "string" && TOKEN.exec(given)) || [];
  if (id !== undefined && secret !== undefined) return { id, secret };
  // The message leaves out the value: it may be a mistyped secret.
  throw invalid("discovery.bootstrapToken.token: must be of the form [a-z0-9]{6}.[a-z0-9]{16}");
}

/** Arguments are a map up to v1beta3 of kubeadm's API, and a list of names and values since. */
function argumentsIn(given: unknown): Readonly<Record<string, string>> {
  const pairs = Array.isArray(given)
    ? given.filter(isJsonObject).map(({ name, value }): [string, unknown] => [String(name), value])
    : Object.entries(isJsonObject(given) ? given : {});
  return Object.fromEntries(pairs.map(([name, value]) => [name, String(value)]));
}

function labelsIn(list = ""): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const pair of list.split(",")) {
    const [key = "", value = ""] = pair.split("=");
    if (key.trim() !== "") labels[key.trim()] = value.trim();
  }
  return labels;
}

function taintsIn(given: unknown): readonly Taint[] {
  if (!Array.isArray(given)) throw invalid(`nodeRegistration.taints: ${shown(given)}: must be a list`);
  return given.map((taint: unknown, index) => {
    const { key, value, effect } = isJsonObject(taint) ? taint : {};
    if (typeof key !== "string" || typeof effect !== "string") {
      throw invalid(`nodeRegistration.taints[${index}]: ${shown(taint)}: must have a key and an effect`);
    }
    return { key, effect, ...(typeof value === "string" && { value }) };
  });
}

function textsIn(given: unknown): readonly string[] {
  return Array.isArray(given) ? given.filter((item) => typeof item === "string") : [];
}

function objectAt(value: JsonObject, field: string): JsonObject {
  const found = value[field];
  return isJsonObject(found) ? found : {};
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}

function invalid(message: string): GuestFault {
  return new GuestFault("BadJoinConfiguration", message);
}
