import {
  Cluster,
  controllerOf,
  DEPLOYMENT_NAME_LABEL,
  ExtensionConfig,
  type Frozen,
  KubeadmConfigTemplate,
  labelValueFor,
  Machine,
  MachineDeployment,
  MachineSet,
} from "@capstan/api";
import { decideProposedDeployment } from "@capstan/manager";
import { type VersionFinding, versionFindings } from "@capstan/plan";
import type { Client } from "@capstan/runtime";
import { controlPlaneVersion } from "../read/control-plane-version.ts";
import { NO_OBJECTS, type PlanObjects } from "../read/given-objects.ts";
import type { Host, ProposedChange } from "./planner.ts";
import { proposed } from "./proposed-pools.ts";
import { proposedReader } from "../read/proposed-reader.ts";
import { changesBetween, type FieldChange } from "../read/spec-changes.ts";
import { updatersOfCluster } from "../read/updaters-of-cluster.ts";

/** A MachineDeployment after a change, and the change. */
interface ProposedDeployment {
  readonly objects: PlanObjects;
  /** The changed fields of its spec; none if it is new. */
  readonly changes: readonly FieldChange[];
  /** What speaks against its Kubernetes version. */
  readonly findings: readonly VersionFinding[];
}

/** A MachineDeployment after a change, with its sets, its machines, and what the updaters say about them. */
export async function proposedDeployment(
  { env }: Host,
  { client, transport, given, nowMs }: ProposedChange,
  manifest: Frozen<MachineDeployment>,
): Promise<ProposedDeployment> {
  const { before, after } = await proposed(client, MachineDeployment, manifest);
  const { name, namespace = "", uid } = after.metadata;
  const own = { namespace, labelSelector: `${DEPLOYMENT_NAME_LABEL}=${labelValueFor(name)}` };
  const sets = (await client.list(MachineSet, own)).filter((set) => controllerOf(set)?.uid === uid);
  const setMachines = await client.list(Machine, own);
  const machines = Map.groupBy(setMachines, (machine) => controllerOf(machine)?.uid ?? "");
  const known = await client.list(ExtensionConfig);
  const reader = await proposedReader({ client, templates: given.templates, known });
  const context = { ...reader, env: { clock: { now: () => nowMs } } };
  const deployment = await decideProposedDeployment(
    { context, deployment: structuredClone(after), sets, machines },
    updatersOfCluster({ env, client, transport }),
  );
  return {
    objects: { ...NO_OBJECTS, deployments: [deployment], sets, setMachines },
    changes: before ? changesBetween(before.spec, after.spec, "spec") : [],
    findings: await findingsOf(client, given, { before, after }),
  };
}

async function findingsOf(
  client: Client,
  given: PlanObjects,
  { before, after }: { before: Frozen<MachineDeployment> | undefined; after: Frozen<MachineDeployment> },
): Promise<readonly VersionFinding[]> {
  const { version: to, bootstrap } = after.spec.template.spec;
  const name = { name: after.spec.clusterName, namespace: after.metadata.namespace };
  const cluster = given.clusters.find(
    ({ metadata }) => metadata.name === name.name && metadata.namespace === name.namespace,
  );
  return versionFindings({
    from: before?.spec.template.spec.version,
    to,
    controlPlane: await controlPlaneVersion(client, given, cluster ?? (await client.find(Cluster, name))),
    hasPreflight: true,
    usesKubeadm: bootstrap.configRef?.kind === KubeadmConfigTemplate.kind,
  });
}
