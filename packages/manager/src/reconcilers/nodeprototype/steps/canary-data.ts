import { type Frozen, KubeadmConfig, Secret } from "@capstan/api";
import { digest } from "@capstan/azure";
import {
  FRESH_BOOTSTRAP_REQUEST,
  isFreshFor,
  modelAnswered,
  modelAsked,
} from "../../../bootstrap/fresh-bootstrap.ts";
import { withKubeletArguments } from "../../../bootstrap/kubelet-arguments.ts";
import { refersTo } from "../../../contract/reference.ts";
import type { AzureScope } from "../gallery/azure-reads.ts";
import { renewalOf } from "../scope.ts";
import { CANARY } from "./canary-body.ts";

/** Bootstrap data with which a canary can join, or why there is none. */
type CanaryData =
  | { readonly state: "ready"; readonly customData: string }
  | { readonly state: "waiting" }
  | { readonly state: "unusable"; readonly why: string };

// A canary has half an hour to join.
const JOIN_WITHIN_MS = 45 * 60_000;
const EXCLUDED_FROM_BALANCERS = "node.kubernetes.io/exclude-from-external-load-balancers";

/** The data of the pool, with a taint that keeps pods away and labels that keep load balancers away. */
export async function canaryData(scope: AzureScope): Promise<CanaryData> {
  const { context, owner, fleet } = scope;
  if (!(await isFresh(scope))) return { state: "waiting" };
  const { namespace = "" } = owner.metadata;
  const { dataSecretName = "" } = fleet.bootstrap ?? {};
  const secret = await context.client.find(Secret, { name: dataSecretName, namespace });
  const text = Buffer.from(secret?.data?.["value"] ?? "", "base64").toString("utf8");
  const { cycleID } = renewalOf(scope);
  const tainted = withKubeletArguments(text, [
    `--register-with-taints=${CANARY}=${cycleID}:NoSchedule`,
    `--node-labels=${CANARY}=${cycleID},${EXCLUDED_FROM_BALANCERS}=true`,
  ]);
  if (tainted !== undefined)
    return { state: "ready", customData: Buffer.from(tainted, "utf8").toString("base64") };
  const why = `the bootstrap data in the Secret ${dataSecretName} is not a cloud-config to which a taint can be added`;
  return { state: "unusable", why };
}

/**
 * Whether the data lets a machine join now; asks for new data if not. The request names the model of the last one, so that the
 * machines of the pool and the canary share a token.
 */
async function isFresh(scope: AzureScope): Promise<boolean> {
  const { context, owner, fleet, shared } = scope;
  const { configRef } = fleet.bootstrap ?? {};
  if (!shared.ports.rendersBootstrapData || !configRef || !refersTo(configRef, KubeadmConfig)) return true;
  const { namespace = "" } = owner.metadata;
  const config = await context.client.find(KubeadmConfig, { name: configRef.name, namespace });
  return !config || (await isAnswered(scope, config));
}

async function isAnswered(scope: AzureScope, config: Frozen<KubeadmConfig>): Promise<boolean> {
  const { context, owner } = scope;
  const model = modelAsked(config) ?? modelAnswered(config) ?? "canary";
  const request = `${model}.${digest([owner.metadata.uid, renewalOf(scope).cycleID]).slice(0, 8)}.0`;
  const untilMs = context.env.clock.now() + JOIN_WITHIN_MS;
  if (isFreshFor(config, { request, untilMs })) return true;
  const { name, namespace = "", annotations = {} } = config.metadata;
  if (annotations[FRESH_BOOTSTRAP_REQUEST] === request) return false;
  const body = { metadata: { annotations: { [FRESH_BOOTSTRAP_REQUEST]: request } } };
  await context.client.patch(KubeadmConfig, { name, namespace }, { type: "merge", body });
  return false;
}
