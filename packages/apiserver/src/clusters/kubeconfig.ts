import type { Credential } from "../security/certificates.ts";

/** The contents of a kubeconfig: the address of a server, how to verify it, and the client's credential. */
export interface KubeconfigFacts {
  readonly server: string;
  /** PEM text of the authority that signed the server's certificate. */
  readonly ca: string;
  readonly client: Credential;
}

/** The names in a kubeconfig. */
export interface KubeconfigNames {
  readonly cluster: string;
  readonly user: string;
}

/** The text of a kubeconfig with one context. Its values are base64, URLs and our own names, so none needs quotes. */
export function kubeconfigText(
  { server, ca, client }: KubeconfigFacts,
  { cluster, user }: KubeconfigNames,
): string {
  return `apiVersion: v1
kind: Config
clusters:
- name: ${cluster}
  cluster:
    server: ${server}
    certificate-authority-data: ${encode(ca)}
users:
- name: ${user}
  user:
    client-certificate-data: ${encode(client.cert)}
    client-key-data: ${encode(client.key)}
contexts:
- name: ${cluster}
  context:
    cluster: ${cluster}
    user: ${user}
    namespace: default
current-context: ${cluster}
`;
}

/** Reads what `kubeconfigText` has written; undefined for any other text. */
export function parseKubeconfig(text: string): KubeconfigFacts | undefined {
  const value = (key: string): string | undefined =>
    new RegExp(String.raw`^\s+${key}: (\S+)$`, "m").exec(text)?.[1];
  const [server, ca, cert, key] = [
    value("server"),
    value("certificate-authority-data"),
    value("client-certificate-data"),
    value("client-key-data"),
  ];
  if (server === undefined || ca === undefined || cert === undefined || key === undefined) return undefined;
  return { server, ca: decode(ca), client: { cert: decode(cert), key: decode(key) } };
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64");
}

function decode(text: string): string {
  return Buffer.from(text, "base64").toString();
}
