import { X509Certificate } from "node:crypto";
import { isJsonObject, parseYaml, YamlError } from "@capstan/api";
import { yamlOf } from "../bootstrap/yaml-text.ts";
import type { Credential } from "../certificates/credential.ts";

/** What the kubeconfig of a cluster is made from. */
export interface KubeconfigParts {
  readonly cluster: string;
  /** The URL of the API server. */
  readonly server: string;
  /** The certificate authority of the cluster, in PEM; of several certificates the first. */
  readonly authority: string;
  readonly client: Credential;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/;

/** The administrator's kubeconfig of a cluster, with Cluster API's names. */
export function kubeconfigText({ cluster, server, authority, client }: KubeconfigParts): string {
  const user = `${cluster}-admin`;
  const context = `${user}@${cluster}`;
  const encode = (text: string): string => Buffer.from(text).toString("base64");
  const [first = authority] = CERTIFICATE.exec(authority) ?? [];
  return yamlOf({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: cluster, cluster: { "certificate-authority-data": encode(first), server } }],
    users: [
      {
        name: user,
        user: { "client-certificate-data": encode(client.cert), "client-key-data": encode(client.key) },
      },
    ],
    contexts: [{ name: context, context: { cluster, user } }],
    "current-context": context,
  });
}

/** What a stored kubeconfig says about its server and its client certificate; fields that cannot be read are absent. */
export interface KubeconfigFacts {
  readonly server?: string;
  readonly expiresMs?: number;
}

/** Reads a stored kubeconfig, however it was written. */
export function readKubeconfigFacts(text: string): KubeconfigFacts {
  const config = documentIn(text);
  const server = fieldsOf(itemIn(config["clusters"])["cluster"])["server"];
  const data = fieldsOf(itemIn(config["users"])["user"])["client-certificate-data"];
  const expiresMs =
    typeof data === "string" ? expiryOf(Buffer.from(data, "base64").toString("utf8")) : undefined;
  return {
    ...(typeof server === "string" && { server }),
    ...(expiresMs !== undefined && { expiresMs }),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function documentIn(text: string): Fields {
  try {
    return fieldsOf(parseYaml(text));
  } catch (error) {
    if (error instanceof YamlError) return {};
    throw error;
  }
}

function expiryOf(pem: string): number | undefined {
  try {
    return new X509Certificate(pem).validToDate.getTime();
  } catch {
    return undefined;
  }
}

function itemIn(list: unknown): Fields {
  return fieldsOf(Array.isArray(list) ? (list as unknown[])[0] : undefined);
}

function fieldsOf(value: unknown): Fields {
  return isJsonObject(value) ? value : {};
}
