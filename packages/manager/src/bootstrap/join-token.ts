import { createHash } from "node:crypto";
import { formatTimestamp, type Secret } from "@capstan/api";
import { Sensitive } from "@capstan/runtime";

/** A token with which machines join. */
export interface JoinToken {
  /** kubeadm's format: `id.secret`. */
  readonly text: Sensitive;
  /** When it expires, in milliseconds. */
  readonly expiresMs: number;
}

const ID_LENGTH = 6;
const SECRET_LENGTH = 16;
const TOKEN = new RegExp(`^[a-z0-9]{${ID_LENGTH}}\\.[a-z0-9]{${SECRET_LENGTH}}$`);

/** Generates a token. The UUIDs must be unpredictable: a client that guesses a token may add machines to the cluster. */
export function drawTokenText(uuid: () => string): Sensitive {
  // Two of them have 244 random bits; a token needs 114.
  const digest = createHash("sha256").update(`${uuid()}${uuid()}`).digest("hex");
  const signs = BigInt(`0x${digest}`)
    .toString(36)
    .slice(-(ID_LENGTH + SECRET_LENGTH));
  const padded = signs.padStart(ID_LENGTH + SECRET_LENGTH, "0");
  return new Sensitive(`${padded.slice(0, ID_LENGTH)}.${padded.slice(ID_LENGTH)}`);
}

/** Whether a text is a token. */
export function isTokenText(text: unknown): text is string {
  return typeof text === "string" && TOKEN.test(text);
}

/** The Secret of a token in its workload cluster. */
export function tokenSecretName({ text }: JoinToken): { readonly name: string; readonly namespace: string } {
  const { id } = partsOf(text);
  return { name: `bootstrap-token-${id}`, namespace: "kube-system" };
}

/** The Secret that registers a token in a workload cluster, as kubeadm creates it. */
export function tokenSecret(token: JoinToken, description: string): Secret {
  const { id, secret } = partsOf(token.text);
  const fields = {
    "token-id": id,
    "token-secret": secret,
    expiration: formatTimestamp(token.expiresMs),
    "usage-bootstrap-authentication": "true",
    "usage-bootstrap-signing": "true",
    // The group that kubeadm's roles allow to request the certificate of a node.
    "auth-extra-groups": "system:bootstrappers:kubeadm:default-node-token",
    description,
  };
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { ...tokenSecretName(token) },
    type: "bootstrap.kubernetes.io/token",
    data: Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, Buffer.from(value).toString("base64")]),
    ),
  };
}

function partsOf(text: Sensitive): { readonly id: string; readonly secret: string } {
  const [id = "", secret = ""] = text.reveal().split(".");
  return { id, secret };
}
