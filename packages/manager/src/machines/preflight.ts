import {
  type Cluster,
  type Frozen,
  KubeadmConfigTemplate,
  type KubernetesObject,
  type MachineTemplateSpec,
  SKIP_PREFLIGHT_CHECKS_ANNOTATION,
} from "@capstan/api";
import { failedPreflight, type PreflightView } from "@capstan/plan";
import { controlPlaneVersionsOf, saysNothing } from "../contract/contract-object.ts";
import { type ObjectReader, resolve } from "../contract/resolve.ts";

/** The template of new machines, and the objects that have a say in whether they may be created. */
export interface PreflightSubject {
  /** The owner of the machines; its annotation skips checks. */
  readonly owner: Frozen<KubernetesObject>;
  readonly template: Frozen<MachineTemplateSpec>;
  readonly cluster: Frozen<Cluster> | undefined;
  /** Whether machines are to join their cluster. Those that are updated in place joined it before. */
  readonly isJoining: boolean;
}

/** Why machines may not get a template now; empty if they may. */
export async function preflightOf(
  reader: ObjectReader,
  { owner, template, cluster, isJoining }: PreflightSubject,
): Promise<readonly string[]> {
  const { version, bootstrap } = template;
  const { apiGroup, kind } = bootstrap.configRef ?? {};
  const usesKubeadm = kind === KubeadmConfigTemplate.kind && apiGroup === KubeadmConfigTemplate.group;
  return failedPreflight({
    version,
    usesKubeadm: isJoining && usesKubeadm,
    controlPlane: await controlPlaneOf(reader, cluster),
    skipped: [...skippedChecks(owner), ...(await skippedByTemplate(reader, owner, template))],
  });
}

/** A control plane that does not exist, or on which no controller acts, holds up no machine: the Cluster reports it. */
async function controlPlaneOf(
  reader: ObjectReader,
  cluster: Frozen<Cluster> | undefined,
): Promise<PreflightView["controlPlane"]> {
  const reference = cluster?.spec.controlPlaneRef;
  if (!reference || cluster.metadata.namespace === undefined) return undefined;
  const { namespace } = cluster.metadata;
  const resolved = await resolve(reader, { reference, field: "spec.controlPlaneRef", namespace });
  return resolved.state === "found" && !saysNothing(resolved.object)
    ? controlPlaneVersionsOf(resolved.object)
    : undefined;
}

/** As in Cluster API, the template of bootstrap configs can skip checks, too: for every set that uses it. */
async function skippedByTemplate(
  reader: ObjectReader,
  { metadata }: Frozen<KubernetesObject>,
  { bootstrap }: Frozen<MachineTemplateSpec>,
): Promise<readonly string[]> {
  const { configRef: reference } = bootstrap;
  const { namespace = "" } = metadata;
  if (!reference) return [];
  const field = "spec.template.spec.bootstrap.configRef";
  const resolved = await resolve(reader, { reference, field, namespace });
  return resolved.state === "found" ? skippedChecks(resolved.object) : [];
}

function skippedChecks({ metadata }: Frozen<KubernetesObject>): readonly string[] {
  const names = metadata.annotations?.[SKIP_PREFLIGHT_CHECKS_ANNOTATION] ?? "";
  return names.split(",").map((name) => name.trim());
}
