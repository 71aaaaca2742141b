import {
  type CanUpdateMachineRequest,
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
import { changedPaths } from "../../../updaters/changes.ts";
import { propagatedMetadata, SET_FIELD_MANAGER } from "../../machineset/machine-object.ts";
import type { Scope } from "../scope.ts";

/** The difference between a machine and its desired state, as a question to updaters; or why it cannot be updated. */
export type DesiredState =
  | { readonly state: "possible"; readonly request: CanUpdateMachineRequest }
  | { readonly state: "impossible"; readonly paths: readonly string[]; readonly why: string };

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

interface ComparedPart {
  readonly current: Frozen<ContractObject>;
  readonly desired: Frozen<ContractObject>;
  readonly changes: readonly string[];
}

/**
 * Applies the clone of the new template over the existing object, as a dry run with the field manager that created it. So
 * only what the template changes is a change: defaults of webhooks and fields that providers write are equal on both sides.
 */
export async function desiredState(scope: Scope, example: Example): Promise<DesiredState> {
  const { machine } = example;
  const wanted = scope.deployment.spec.template.spec;
  try {
    const infrastructure = await comparePart(scope, example, {
      name: "infraMachine",
      field: "infrastructureRef",
      current: machine.spec.infrastructureRef,
      template: wanted.infrastructureRef,
    });
    const { configRef } = machine.spec.bootstrap;
    const bootstrap =
      configRef &&
      (await comparePart(scope, example, {
        name: "bootstrap",
        field: "bootstrap.configRef",
        current: configRef,
        template: wanted.bootstrap.configRef,
      }));
    return { state: "possible", request: requestOf(machine, wanted, { infrastructure, bootstrap }) };
  } catch (error) {
    if (!(error instanceof Impossible)) throw error;
    return { state: "impossible", paths: [error.path], why: error.message };
  }
}

/** A machine that cannot become the desired one, whatever updaters can do. */
class Impossible extends Error {
  override readonly name = "Impossible";
  readonly path: string;
  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

async function comparePart(scope: Scope, example: Example, part: Part): Promise<ComparedPart> {
  const { current, template } = part;
  const path = `machine.spec.${part.field}`;
  if (!template) throw new Impossible(path, `the new template has no spec.template.spec.${part.field}`);
  const existing = await found(scope, current, path);
  const source = await found(scope, template, `spec.template.spec.${part.field}`);
  if (source.object.kind !== `${existing.object.kind}Template`)
    throw new Impossible(
      path,
      `a ${existing.object.kind} cannot become what a ${source.object.kind} describes`,
    );
  const { kind, name } = existing.target;
  const body = desiredClone(example, source.object, name);
  try {
    const desired = await scope.context.client.patch(kind, name, {
      type: "apply",
      body,
      fieldManager: SET_FIELD_MANAGER,
      force: true,
      dryRun: true,
    });
    const changes = changedPaths(`${part.name}.spec`, existing.object.spec, desired.spec);
    return { current: existing.object, desired, changes };
  } catch (error) {
    if (!(error instanceof Failure) || error.failure !== "Terminal") throw error;
    throw new Impossible(`${part.name}.spec`, `the change is refused: ${error.message}`);
  }
}

async function found(
  { context, deployment }: Scope,
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

function requestOf(
  machine: Frozen<Machine>,
  wanted: Frozen<MachineTemplateSpec>,
  { infrastructure, bootstrap }: { infrastructure: ComparedPart; bootstrap: ComparedPart | undefined },
): CanUpdateMachineRequest {
  const desired = desiredMachine(machine, wanted);
  const fields = ({ spec }: Frozen<Machine>): object => ({
    version: spec.version,
    failureDomain: spec.failureDomain,
  });
  const changes = [
    ...changedPaths("machine.spec", fields(machine), fields(desired)),
    ...(bootstrap?.changes ?? []),
    ...infrastructure.changes,
  ];
  return {
    desiredMachine: plain(desired),
    ...(bootstrap && { desiredBootstrapConfig: plain(bootstrap.desired) }),
    desiredInfraMachine: plain(infrastructure.desired),
    currentMachine: plain(machine),
    ...(bootstrap && { currentBootstrapConfig: plain(bootstrap.current) }),
    currentInfraMachine: plain(infrastructure.current),
    changes,
  } as CanUpdateMachineRequest;
}

/** A machine whose provider chose its failure domain keeps it if the template names none. */
function desiredMachine(machine: Frozen<Machine>, wanted: Frozen<MachineTemplateSpec>): Frozen<Machine> {
  const { version: _, ...spec } = machine.spec;
  return {
    ...machine,
    spec: {
      ...spec,
      ...(wanted.version !== undefined && { version: wanted.version }),
      ...(wanted.failureDomain !== undefined && { failureDomain: wanted.failureDomain }),
    },
  };
}

/** The parts of an object that an updater needs: no status, no managers of fields, no owners. */
function plain({ apiVersion, kind, metadata, ...rest }: Frozen<ContractObject>): object {
  const { name, namespace, uid, labels, annotations } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, ...(labels && { labels }), ...(annotations && { annotations }) },
    spec: rest.spec,
  };
}
