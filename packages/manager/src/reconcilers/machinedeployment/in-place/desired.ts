import {
  controllerReferenceTo,
  type Frozen,
  type KubernetesObject,
  type Machine,
  type MachineSet,
  type MachineTemplateSpec,
  type ObjectReference,
  UPDATE_IN_PROGRESS_ANNOTATION,
} from "@capstan/api";
import { Failure, type ObjectName } from "@capstan/runtime";
import { cloneTemplate } from "../../../contract/clone-template.ts";
import type { ContractObject } from "../../../contract/contract-object.ts";
import { absence, resolve, type ResolvedReference } from "../../../contract/resolve.ts";
import {
  type ComparedParts,
  comparePart,
  type DesiredState,
  desiredStateOr,
  Impossible,
  updateRequest,
} from "../../../in-place/compare.ts";
import { propagatedMetadata, SET_FIELD_MANAGER } from "../../machineset/machine-object.ts";
import type { DecisionScope } from "./decision-scope.ts";

/** The machine that stands for all machines of its set, and the set whose labels a new machine would have. */
interface Example {
  readonly machine: Frozen<Machine>;
  readonly set: Frozen<MachineSet>;
}

interface Part {
  readonly name: "infraMachine" | "bootstrap";
  readonly field: string;
  readonly current: Frozen<ObjectReference>;
  readonly template: Frozen<ObjectReference> | undefined;
}

/** Compares a machine with what the clones of the new templates would make of it. */
export function desiredState(scope: DecisionScope, example: Example): Promise<DesiredState> {
  return desiredStateOr(async () => {
    const { machine } = example;
    const desired = scope.deployment.spec.template.spec;
    const infrastructure = await compare(scope, example, {
      name: "infraMachine",
      field: "infrastructureRef",
      current: machine.spec.infrastructureRef,
      template: desired.infrastructureRef,
    });
    const { configRef } = machine.spec.bootstrap;
    const bootstrap =
      configRef &&
      (await compare(scope, example, {
        name: "bootstrap",
        field: "bootstrap.configRef",
        current: configRef,
        template: desired.bootstrap.configRef,
      }));
    return updateRequest(machine, desiredMachine(machine, desired), { infrastructure, bootstrap });
  });
}

async function compare(
  scope: DecisionScope,
  example: Example,
  { name, field, current, template }: Part,
): Promise<ComparedParts["infrastructure"]> {
  const path = `machine.spec.${field}`;
  if (!template) throw new Impossible(path, `the new template has no spec.template.spec.${field}`);
  const existing = await found(scope, current, path);
  const source = await found(scope, template, `spec.template.spec.${field}`);
  if (source.object.kind !== `${existing.object.kind}Template`)
    throw new Impossible(
      path,
      `a ${existing.object.kind} cannot become what a ${source.object.kind} describes`,
    );
  const body = desiredClone(example, source.object, existing.target.name);
  return comparePart(scope.context.client, { name, existing, body, fieldManager: SET_FIELD_MANAGER });
}

async function found(
  { context, deployment }: DecisionScope,
  reference: Frozen<ObjectReference>,
  field: string,
): Promise<ResolvedReference & { readonly state: "found" }> {
  const { namespace = "" } = deployment.metadata;
  const resolved = await resolve(context, { reference, field, namespace });
  if (resolved.state === "found") return resolved;
  throw new Failure("Waiting", "WaitingForTemplate", {
    message: `${field}: ${absence(resolved)}`,
    ...(!resolved.isFollowed && { retryAfterMs: 30_000 }),
  });
}

/** The clone with the annotation of an update: a provider may allow a change only under it. */
function desiredClone(
  { machine, set }: Example,
  template: Frozen<ContractObject>,
  { name }: ObjectName,
): KubernetesObject {
  const { labels, annotations } = propagatedMetadata(set);
  return cloneTemplate(template, {
    name,
    clusterName: set.spec.clusterName,
    labels,
    annotations: { ...annotations, [UPDATE_IN_PROGRESS_ANNOTATION]: "" },
    owner: controllerReferenceTo(machine),
  });
}

/** A machine whose provider chose its failure domain keeps it if the template names none. */
function desiredMachine(machine: Frozen<Machine>, desired: Frozen<MachineTemplateSpec>): Frozen<Machine> {
  const { version: _, ...spec } = machine.spec;
  return {
    ...machine,
    spec: {
      ...spec,
      ...(desired.version !== undefined && { version: desired.version }),
      ...(desired.failureDomain !== undefined && { failureDomain: desired.failureDomain }),
    },
  };
}
