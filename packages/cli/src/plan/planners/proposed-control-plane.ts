import {
  Cluster,
  CONTROL_PLANE_NAME_LABEL,
  controllerOf,
  DEFAULT_FEATURES,
  ExtensionConfig,
  type Frozen,
  KubeadmConfig,
  KubeadmControlPlane,
  type KubernetesObject,
  labelValueFor,
  Machine,
} from "@capstan/api";
import { clonedFrom, decideProposedControlPlane, type StoredControlPlane, targetOf } from "@capstan/manager";
import type { Client } from "@capstan/runtime";
import type { Host, ProposedChange } from "./planner.ts";
import { proposed } from "./proposed-pools.ts";
import { proposedReader } from "../read/proposed-reader.ts";
import { changesBetween, type FieldChange } from "../read/spec-changes.ts";
import { updatersOfCluster } from "../read/updaters-of-cluster.ts";

/** A KubeadmControlPlane after a change, and the change. */
interface ProposedControlPlane {
  readonly stored: StoredControlPlane;
  /** The changed fields of its spec; none if it is new. */
  readonly changes: readonly FieldChange[];
}

/** A KubeadmControlPlane after a change, with its machines and what the updaters say about them. */
export async function proposedControlPlane(
  { env }: Host,
  { client, transport, given, nowMs }: ProposedChange,
  manifest: Frozen<KubeadmControlPlane>,
): Promise<ProposedControlPlane> {
  const { before, after } = await proposed(client, KubeadmControlPlane, manifest);
  const { name, namespace = "", uid } = after.metadata;
  const labelSelector = `${CONTROL_PLANE_NAME_LABEL}=${labelValueFor(name)}`;
  const machines = (await client.list(Machine, { namespace, labelSelector })).filter(
    (machine) => controllerOf(machine)?.uid === uid,
  );
  const parts = await partsOf(client, machines);
  const known = [...parts, ...(await client.list(ExtensionConfig))];
  const reader = await proposedReader({ client, templates: given.templates, known });
  const context = { ...reader, env: { clock: { now: () => nowMs } } };
  const controlPlane = await decideProposedControlPlane({
    context,
    controlPlane: structuredClone(after),
    machines,
    shared: {
      ports: {
        // A server with the gate off refuses the strategy, or says so in a condition.
        features: { ...DEFAULT_FEATURES, InPlaceUpdates: true },
        updaters: updatersOfCluster({ env, client, transport }),
      },
    },
  });
  const templates = new Map<string, string | undefined>();
  for (const machine of machines) templates.set(machine.metadata.name, await clonedFrom(context, machine));
  const stored: StoredControlPlane = {
    controlPlane,
    cluster: await clusterOf(client, after),
    machines,
    configs: parts.filter(({ kind }) => kind === KubeadmConfig.kind) as Frozen<KubeadmConfig>[],
    templateOf: ({ metadata }) => templates.get(metadata.name),
    nowMs,
  };
  return { stored, changes: before ? changesBetween(before.spec, after.spec, "spec") : [] };
}

/** The infrastructure and the KubeadmConfigs of machines, as far as they exist; a control plane has a few machines. */
async function partsOf(
  client: Client,
  machines: readonly Frozen<Machine>[],
): Promise<readonly Frozen<KubernetesObject>[]> {
  const pointers = machines.flatMap(({ metadata: { namespace = "" }, spec }) =>
    [spec.infrastructureRef, spec.bootstrap.configRef].flatMap((reference) =>
      reference ? [{ reference, field: "a reference of the machine", namespace }] : [],
    ),
  );
  const found = await Promise.all(
    pointers.map(async (pointer) => {
      const { kind, name } = await targetOf(client, pointer);
      return client.find(kind, name);
    }),
  );
  return found.filter((object) => object !== undefined);
}

async function clusterOf(
  client: Client,
  { metadata }: Frozen<KubeadmControlPlane>,
): Promise<Frozen<Cluster> | undefined> {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === Cluster.kind);
  return owner && (await client.find(Cluster, { name: owner.name, namespace: metadata.namespace }));
}
