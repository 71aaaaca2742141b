import {
  CLUSTER_NAME_LABEL,
  controllerReferenceTo,
  ensureOwnerReference,
  formatTimestamp,
  type Frozen,
  isJsonObject,
  isSameOwner,
  type JsonObject,
  type KubeadmConfig,
  type Secret,
} from "@capstan/api";
import { Sensitive } from "@capstan/runtime";
import { isTokenText, type JoinToken } from "../../bootstrap/join-token.ts";

/** Cluster API's type for Secrets that belong to a cluster. */
const SECRET_TYPE = "cluster.x-k8s.io/secret";
const FORMAT = "cloud-config";

/**
 * The content of the data Secret. `value` and `format` are the contract with the controller that creates machines; `join`,
 * `earlier` and `next` are Capstan's, and as secret as the value.
 */
export interface StoredData {
  readonly value: string | undefined;
  /** The token in the value. */
  readonly token: JoinToken | undefined;
  /** The model whose machines join with it; undefined until a pool requests data for a model. */
  readonly model: string | undefined;
  /** Earlier tokens by model, which are used again when a model comes back. */
  readonly earlier: EarlierTokens;
  /** The certificates of the authority that the value pins. */
  readonly authority: string | undefined;
  /** A token that was written ahead: it may or may not exist in the workload cluster. */
  readonly next: JoinToken | undefined;
}

/** Tokens by the models whose machines join with them, the most recently used last. */
export type EarlierTokens = ReadonlyMap<string, JoinToken>;

// Azure's limit of models in one scale set.
const EARLIER_AT_MOST = 10;

/** Fields of the data Secret in base64; null removes one. */
export type Fields = Readonly<Record<string, string | null>>;

/** Parses a data Secret; an unreadable field counts as missing and is created again. */
export function readStored({ data = {} }: Frozen<Secret>): StoredData {
  const value = data["value"];
  const join = objectIn(data["join"]);
  const { authority, model } = join;
  return {
    value: value && textOf(value),
    token: tokenIn(join),
    model: typeof model === "string" ? model : undefined,
    earlier: earlierIn(objectIn(data["earlier"])),
    authority: typeof authority === "string" ? authority : undefined,
    next: tokenIn(objectIn(data["next"])),
  };
}

/** The fields with a token that is written ahead. */
export function plannedFields(token: JoinToken): Fields {
  return { next: encoded(JSON.stringify(tokenFields(token))) };
}

/** The fields of finished data, without the token that was written ahead. */
export function finishedFields({
  value,
  token,
  model,
  earlier,
  authority,
}: Omit<StoredData, "next">): Fields {
  const join = JSON.stringify({
    ...(token && tokenFields(token)),
    ...(model !== undefined && { model }),
    ...(authority !== undefined && { authority }),
  });
  const kept = [...earlier].slice(-EARLIER_AT_MOST).map(([of, one]) => [of, tokenFields(one)] as const);
  return {
    value: encoded(value ?? ""),
    format: encoded(FORMAT),
    join: encoded(join),
    earlier: kept.length > 0 ? encoded(JSON.stringify(Object.fromEntries(kept))) : null,
    next: null,
  };
}

export function newSecret(config: Frozen<KubeadmConfig>, clusterName: string, fields: Fields): Secret {
  const { name, namespace = "" } = config.metadata;
  const data = Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (value === null ? [] : [[key, value]])),
  );
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name,
      namespace,
      labels: { [CLUSTER_NAME_LABEL]: clusterName },
      ownerReferences: [controllerReferenceTo(config)],
    },
    type: SECRET_TYPE,
    data,
  };
}

/** A patch of the data Secret with the resourceVersion that was read. */
export function secretPatch(
  { metadata }: Frozen<Secret>,
  config: Frozen<KubeadmConfig>,
  fields: Fields,
): object {
  const { resourceVersion } = metadata;
  const ownerReferences = ensureOwnerReference(metadata.ownerReferences, controllerReferenceTo(config));
  return { metadata: { resourceVersion, ownerReferences }, data: fields };
}

/** Why a Secret of that name must not be written; undefined when it belongs to the config. */
export function foreignProblem(secret: Frozen<Secret>, config: Frozen<KubeadmConfig>): string | undefined {
  const place = `Secret ${JSON.stringify(secret.metadata.name)}`;
  if (secret.type !== SECRET_TYPE) {
    return `${place} has the type ${JSON.stringify(secret.type ?? "")} and not ${JSON.stringify(SECRET_TYPE)}; remove it, or give this KubeadmConfig another name`;
  }
  const owner = controllerReferenceTo(config);
  // Compared by name and not by UID: after a move from another cluster, objects have new UIDs.
  if (secret.metadata.ownerReferences?.some((reference) => isSameOwner(reference, owner))) return undefined;
  return `${place} already exists and has another owner; remove it, or give this KubeadmConfig another name`;
}

function tokenFields({ text, expiresMs }: JoinToken): JsonObject {
  return { token: text.reveal(), expires: formatTimestamp(expiresMs) };
}

function tokenIn({ token, expires }: JsonObject): JoinToken | undefined {
  const expiresMs = typeof expires === "string" ? Date.parse(expires) : Number.NaN;
  if (!isTokenText(token) || Number.isNaN(expiresMs)) return undefined;
  return { text: new Sensitive(token), expiresMs };
}

function earlierIn(fields: JsonObject): EarlierTokens {
  const tokens = new Map<string, JoinToken>();
  for (const [model, field] of Object.entries(fields)) {
    const token = isJsonObject(field) ? tokenIn(field) : undefined;
    if (token) tokens.set(model, token);
  }
  return tokens;
}

function objectIn(field: string | undefined): JsonObject {
  if (field === undefined) return {};
  try {
    const value: unknown = JSON.parse(textOf(field));
    return isJsonObject(value) ? value : {};
  } catch {
    // The parser's message would contain the text, which is secret.
    return {};
  }
}

function textOf(field: string): string {
  return Buffer.from(field, "base64").toString("utf8");
}

function encoded(text: string): string {
  return Buffer.from(text).toString("base64");
}
