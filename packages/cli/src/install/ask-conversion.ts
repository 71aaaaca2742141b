import {
  builtInKind,
  CustomResourceDefinition,
  type Frozen,
  type Kind,
  type KubernetesObject,
  Secret,
  toConvertedDefinition,
} from "@capstan/api";
import type { Clock } from "@capstan/env";
import { CERTIFICATE_SECRET, ConversionProbe } from "@capstan/manager";
import { type Client, deleteIfExists } from "@capstan/runtime";
import { trusting } from "../cluster/definition-change.ts";
import { established } from "../cluster/install-definitions.ts";
import { CommandError } from "../command-error.ts";
import { MANAGER, NAMESPACE } from "./names.ts";

/** What the question needs. */
export interface ConversionPorts {
  readonly client: Client;
  readonly clock: Clock;
}

interface Deployment extends KubernetesObject {
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
  };
}

const DeploymentKind: Kind<Deployment> = builtInKind<Deployment>({
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
});

// Pods are scheduled, pull an image and start within this on a healthy cluster.
const ANSWERED_WITHIN_MS = 5 * 60_000;
const POLL_MS = 500;

/**
 * Waits until the API server gets answers from the conversion webhook of this version, and returns the authority of the
 * webhook in base64. The question is the dry run of a creation in a version that is not the stored one of a CRD without
 * objects, which is removed again: no object of a user and no other CRD is touched.
 */
export async function askConversion({ client, clock }: ConversionPorts): Promise<string> {
  const deadlineMs = clock.monotonic() + ANSWERED_WITHIN_MS;
  const { name } = toConvertedDefinition(ConversionProbe).metadata;
  try {
    for (;;) {
      const answer = await attempt({ client, clock });
      if ("bundle" in answer) return answer.bundle;
      if (clock.monotonic() > deadlineMs) throw unanswered(answer.problem);
      await clock.sleep(POLL_MS);
    }
  } finally {
    await deleteIfExists(client, CustomResourceDefinition, { name });
  }
}

/** The authority of the webhook that has answered, or why it has not. */
type Answer = { readonly bundle: string } | { readonly problem: string };

async function attempt({ client, clock }: ConversionPorts): Promise<Answer> {
  const deployment = await client.find(DeploymentKind, { namespace: NAMESPACE, name: MANAGER });
  if (!isRolledOut(deployment))
    return { problem: `the Deployment ${NAMESPACE}/${MANAGER} still has pods of its last version` };
  const secret = await client.find(Secret, { namespace: NAMESPACE, name: CERTIFICATE_SECRET });
  const bundle = secret?.data?.["ca.crt"];
  if (bundle === undefined)
    return { problem: `the manager has not made the Secret ${NAMESPACE}/${CERTIFICATE_SECRET} yet` };
  const problem = await probe({ client, clock }, bundle).catch((error: unknown) => (error as Error).message);
  return problem === undefined ? { bundle } : { problem };
}

/** Asks once; a failure is the reason why there was no answer. */
async function probe({ client, clock }: ConversionPorts, caBundle: string): Promise<undefined> {
  const definition = toConvertedDefinition(ConversionProbe);
  const { metadata, spec } = definition;
  const conversion = spec.conversion && trusting(spec.conversion, caBundle);
  const body = { ...definition, spec: { ...spec, ...(conversion && { conversion }) } };
  await client.patch(CustomResourceDefinition, metadata, { type: "apply", body, force: true });
  await established(client, clock, { name: metadata.name });
  const [other] = ConversionProbe.converted;
  const version = other?.version ?? "";
  const kind = { ...ConversionProbe, version, apiVersion: `${ConversionProbe.group}/${version}` };
  await client.create(kind, { metadata: { name: "question" }, spec: {} } as never, { dryRun: true });
}

/** Whether only pods of the current version are left. A Deployment that no controller has seen yet has no pods at all. */
function isRolledOut(deployment: Frozen<Deployment> | undefined): boolean {
  const { observedGeneration, replicas = 0, updatedReplicas = 0 } = deployment?.status ?? {};
  if (observedGeneration === undefined) return true;
  return observedGeneration >= (deployment?.metadata.generation ?? 0) && updatedReplicas === replicas;
}

function unanswered(problem: string): CommandError {
  return new CommandError(
    `the manager does not convert objects for the API server after ${ANSWERED_WITHIN_MS / 60_000} minutes: ${problem}; no CRD with objects was changed, so everything works as before: see kubectl -n ${NAMESPACE} logs deployment/${MANAGER}, then repeat capstan init`,
  );
}
