import { type Frozen, getCondition, type KubeadmConfig, type StandardConditionUpdate } from "@capstan/api";
import { combineConditions } from "./combine.ts";
import { fromOlderConditions } from "./older.ts";

const DATA_SECRET = "DataSecretAvailable";
const SHARED = [{ type: "CertificatesAvailable" }, { type: DATA_SECRET }];

/** The conditions of a KubeadmConfig in v1beta2. Certificates are told as soon as the data needs them. */
export function kubeadmConfigConditions(config: Frozen<KubeadmConfig>): readonly StandardConditionUpdate[] {
  const conditions = fromOlderConditions(config, SHARED).map((condition) =>
    condition.status === "True" ? { ...condition, reason: "Available" } : condition,
  );
  const counted = new Set([...conditions.map(({ type }) => type), DATA_SECRET]);
  const ready = combineConditions(
    "Ready",
    [...counted].map((name) => ({ name, condition: getCondition(conditions, name) })),
    { True: "Ready", False: "NotReady", Unknown: "ReadyUnknown" },
  );
  return [...conditions, ready];
}
