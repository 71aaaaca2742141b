import { type Frozen, KubeadmConfig, Secret } from "@capstan/api";
import { digest } from "@capstan/azure";
import {
  BOOTSTRAP_EXPIRES,
  FRESH_BOOTSTRAP_ANSWER,
  FRESH_BOOTSTRAP_REQUEST,
  isFreshFor,
} from "../../../bootstrap/fresh-bootstrap.ts";
import type { PoolView } from "@capstan/plan";
import { isExternallyScaled } from "../../../contract/pool-spec.ts";
import { BOOTSTRAP_TAG, type ObservedSet } from "../model/body.ts";
import type { NormalScope } from "../scope.ts";
import { refersTo } from "../../../contract/reference.ts";

/** Bootstrap data that machines can join with now. */
export interface FreshData {
  /** In base64, as ARM expects it. */
  readonly customData: string;
  /** Identifies the data; stored in a tag of the scale set. */
  readonly stamp: string;
}

// As long as Azure may take to create a thousand machines.
const JOIN_WITHIN_MS = 3_600_000;
/** The stamp of data that a user provides; its expiry is unknown to us. */
const GIVEN = "given";

/** What a write does: the model of the machines it creates, and the change of the capacity. */
interface Intent {
  readonly model: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Bootstrap data for a write that adds or re-images machines; undefined while the KubeadmConfig controller makes it. The id
 * of the request is derived from the intent, so that a restarted manager sends the same request.
 */
export async function freshData(scope: NormalScope, intent: Intent): Promise<FreshData | undefined> {
  const config = configOf(scope);
  if (!config) return dataIn(scope, GIVEN);
  if (!rendersData(scope)) return dataIn(scope, tokenStamp(config));
  const request = requestFor(scope, config, intent);
  if (isFresh(scope, config, request)) return dataIn(scope, stampOf(config, request));
  if (config.metadata.annotations?.[FRESH_BOOTSTRAP_REQUEST] !== request) await ask(scope, config, request);
  return undefined;
}

/** The bootstrap data in the scale set, for the planner. */
export function bootstrapDataView(
  scope: NormalScope,
  { tags }: ObservedSet,
): NonNullable<PoolView["bootstrapData"]> {
  const { pool, owners } = scope;
  const isSpot = pool.spec.template.spotVMOptions !== undefined;
  const stamp = tags[BOOTSTRAP_TAG];
  return {
    isValid: isStillFresh(scope, stamp),
    isSuperseded: isRenewed(scope, stamp),
    isAlwaysNeeded: isSpot || isExternallyScaled(owners.machinePool),
  };
}

/** Whether machines that are created from data with this stamp can still join. */
function isStillFresh(scope: NormalScope, stamp = ""): boolean {
  const config = configOf(scope);
  if (!config) return true;
  if (!rendersData(scope)) return stamp === tokenStamp(config);
  const [request = ""] = stamp.split("/");
  return stamp === stampOf(config, request) && isFresh(scope, config, request);
}

/** Whether the KubeadmConfig controller has renewed the data since this stamp. */
function isRenewed(scope: NormalScope, stamp = ""): boolean {
  const config = configOf(scope);
  if (!config) return false;
  return rendersData(scope) ? !stamp.endsWith(`/${expiryOf(config)}`) : stamp !== tokenStamp(config);
}

/** Whether our KubeadmConfig controller makes the data: no other one answers requests for fresh data. */
function rendersData({ shared }: NormalScope): boolean {
  return shared.ports.rendersBootstrapData;
}

/** Cluster API's own provider keeps its data valid by new tokens, and writes the data before it names the token. */
function tokenStamp({ spec }: Frozen<KubeadmConfig>): string {
  const token = spec.joinConfiguration?.discovery?.bootstrapToken?.token ?? "";
  return `token/${digest(token).slice(0, 16)}`;
}

/** The stamp has the request and the expiry: renewed data has the same request and another expiry. */
function stampOf(config: Frozen<KubeadmConfig>, request: string): string {
  return `${request}/${expiryOf(config)}`;
}

function expiryOf({ metadata }: Frozen<KubeadmConfig>): string {
  return metadata.annotations?.[BOOTSTRAP_EXPIRES] ?? "";
}

function isFresh({ context }: NormalScope, config: Frozen<KubeadmConfig>, request: string): boolean {
  return isFreshFor(config, { request, untilMs: context.env.clock.now() + JOIN_WITHIN_MS });
}

/** The KubeadmConfig that the data is made from; undefined for data that a user provides. */
function configOf({ owners, context, pool }: NormalScope): Frozen<KubeadmConfig> | undefined {
  const { configRef } = owners.machinePool.spec.template.spec.bootstrap;
  if (!configRef || !refersTo(configRef, KubeadmConfig)) return undefined;
  return context.cache.get(KubeadmConfig, { name: configRef.name, namespace: pool.metadata.namespace });
}

/** One id per intent; the next one when the data of the answer has expired. */
function requestFor(scope: NormalScope, config: Frozen<KubeadmConfig>, { model, from, to }: Intent): string {
  const prefix = `${digest(model).slice(0, 8)}.${digest([from, to]).slice(0, 8)}`;
  const { [FRESH_BOOTSTRAP_REQUEST]: asked = "", [FRESH_BOOTSTRAP_ANSWER]: answer } =
    config.metadata.annotations ?? {};
  if (!asked.startsWith(`${prefix}.`)) return `${prefix}.0`;
  const isOver = answer === asked && !isFresh(scope, config, asked);
  return isOver ? `${prefix}.${Number(asked.slice(prefix.length + 1)) + 1}` : asked;
}

async function ask({ context }: NormalScope, config: Frozen<KubeadmConfig>, request: string): Promise<void> {
  const { name, namespace } = config.metadata;
  const body = { metadata: { annotations: { [FRESH_BOOTSTRAP_REQUEST]: request } } };
  await context.client.patch(
    KubeadmConfig,
    { name, ...(namespace !== undefined && { namespace }) },
    { type: "merge", body },
  );
}

async function dataIn({ context, owners, pool }: NormalScope, stamp: string): Promise<FreshData | undefined> {
  const { dataSecretName = "" } = owners.machinePool.spec.template.spec.bootstrap;
  const { namespace = "" } = pool.metadata;
  const secret = await context.client.find(Secret, { name: dataSecretName, namespace });
  const customData = secret?.data?.["value"];
  return customData === undefined ? undefined : { customData, stamp };
}
