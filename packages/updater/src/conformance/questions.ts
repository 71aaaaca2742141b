/** The questions of the kit: a machine with a new version, size and file. Nothing in them exists. */
import type { JsonObject } from "../request-body.ts";

/** A Machine that no management cluster has. */
export const MISSING_MACHINE = { name: "capstan-conformance-missing", namespace: "default" } as const;

/** The changes of the question in the dialect of Capstan. */
export const CHANGES: readonly string[] = [
  "machine.spec.version",
  "infraMachine.spec.vmSize",
  "bootstrap.spec.files",
];

interface Fields {
  readonly version: string;
  readonly vmSize: string;
  readonly files: readonly object[];
}

const BEFORE: Fields = { version: "v1.33.5", vmSize: "Standard_D2s_v3", files: [] };
const AFTER: Fields = {
  version: "v1.34.1",
  vmSize: "Standard_D4s_v3",
  files: [{ path: "/etc/motd", content: "hello" }],
};

const metadata = { ...MISSING_MACHINE, labels: { "cluster.x-k8s.io/cluster-name": "none" } };

/** How the objects of a question are varied. */
export interface Variation {
  readonly hasNoBootstrap?: boolean;
  readonly hasUnknownFields?: boolean;
  readonly isForeign?: boolean;
}

function machineParts(
  { version, vmSize, files }: Fields,
  { hasNoBootstrap = false, hasUnknownFields = false, isForeign = false }: Variation,
): { readonly machine: JsonObject; readonly infra: JsonObject; readonly bootstrap: JsonObject | undefined } {
  const more = hasUnknownFields ? { fieldOfTomorrow: { nested: [1, null, "ä"] } } : {};
  const group = "infrastructure.cluster.x-k8s.io";
  return {
    machine: {
      apiVersion: "cluster.x-k8s.io/v1beta2",
      kind: "Machine",
      metadata,
      spec: { clusterName: "none", version, ...more },
      ...more,
    },
    infra: isForeign
      ? { apiVersion: `${group}/v1beta2`, kind: "ForeignMachine", metadata, spec: { vmSize } }
      : { apiVersion: `${group}/v1beta1`, kind: "AzureMachine", metadata, spec: { vmSize, ...more } },
    bootstrap: hasNoBootstrap
      ? undefined
      : {
          apiVersion: "bootstrap.cluster.x-k8s.io/v1beta2",
          kind: "KubeadmConfig",
          metadata,
          spec: { files, ...more },
        },
  };
}

/** CanUpdateMachine in the dialect of Capstan. */
export function pathQuestion(changes: readonly string[], variation: Variation = {}): JsonObject {
  const [before, after] = [machineParts(BEFORE, variation), machineParts(AFTER, variation)];
  return {
    changes,
    currentMachine: before.machine,
    desiredMachine: after.machine,
    currentInfraMachine: before.infra,
    desiredInfraMachine: after.infra,
    ...(before.bootstrap && { currentBootstrapConfig: before.bootstrap }),
    ...(after.bootstrap && { desiredBootstrapConfig: after.bootstrap }),
    ...(variation.hasUnknownFields === true && { fieldOfTomorrow: true }),
  };
}

/** The names of the objects in Cluster API's questions. */
export interface Sides {
  readonly current: JsonObject;
  readonly desired: JsonObject;
}

/** The objects of CanUpdateMachine or CanUpdateMachineSet, by the names that they have there. */
export function sidesOf(isSet: boolean, variation: Variation = {}, isChanged = true): Sides {
  const side = (fields: Fields): JsonObject => {
    const { machine, infra, bootstrap } = machineParts(fields, variation);
    if (!isSet)
      return { machine, infrastructureMachine: infra, ...(bootstrap && { bootstrapConfig: bootstrap }) };
    const template = ({ spec, kind, ...object }: JsonObject, suffix: string): JsonObject => ({
      ...object,
      kind: `${String(kind)}${suffix}`,
      spec: { template: { spec } },
    });
    return {
      machineSet: template(machine, "Set"),
      infrastructureMachineTemplate: template(infra, "Template"),
      ...(bootstrap && { bootstrapConfigTemplate: template(bootstrap, "Template") }),
    };
  };
  return { current: side(BEFORE), desired: side(isChanged ? AFTER : BEFORE) };
}

/** The request of a hook of Cluster API. */
export function hookRequest(hook: string, fields: object): JsonObject {
  return { apiVersion: "hooks.runtime.cluster.x-k8s.io/v1alpha1", kind: `${hook}Request`, ...fields };
}
