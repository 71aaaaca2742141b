import {
  AzureMachine,
  type AzureMachineTemplate,
  CLONED_FROM_NAME_ANNOTATION,
  Cluster,
  controllerOf,
  type Frozen,
  KubeadmControlPlane,
  Machine,
  MachineDeployment,
  MachineSet,
} from "@capstan/api";
import { planTemplatePrototype } from "@capstan/manager";
import type { StartDecision } from "@capstan/plan";
import type { Client } from "@capstan/runtime";
import { type MachinesByImage, templateMachinesByImage } from "./benefit.ts";

/** A template with what its machines tell about its image. */
export interface LiveTemplate {
  readonly next: StartDecision | undefined;
  readonly machines: MachinesByImage;
  readonly cluster: Frozen<Cluster> | undefined;
}

/** Reads everything in the namespace of a template that decides about its image. */
export async function readTemplate(
  client: Client,
  template: Frozen<AzureMachineTemplate>,
  nowMs: number,
): Promise<LiveTemplate> {
  const { namespace = "default" } = template.metadata;
  const [deployments, sets, controlPlanes, machines, clones] = await Promise.all([
    client.list(MachineDeployment, { namespace }),
    client.list(MachineSet, { namespace }),
    client.list(KubeadmControlPlane, { namespace }),
    client.list(Machine, { namespace }),
    client.list(AzureMachine, { namespace }),
  ]);
  const ours = clones.filter(({ metadata }) => isCloneOf(metadata.annotations, template.metadata.name));
  const owners = new Set(ours.map((clone) => controllerOf(clone)?.uid));
  const [machine] = machines.filter(({ metadata }) => owners.has(metadata.uid));
  const name = machine?.spec.clusterName;
  return {
    next: planTemplatePrototype({ template, deployments, sets, controlPlanes, machines }, nowMs),
    machines: templateMachinesByImage(template, machines, ours),
    cluster: name === undefined ? undefined : await client.find(Cluster, { name, namespace }),
  };
}

function isCloneOf(annotations: Readonly<Record<string, string>> = {}, name: string): boolean {
  return annotations[CLONED_FROM_NAME_ANNOTATION] === name;
}
