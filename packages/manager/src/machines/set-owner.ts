import {
  CLUSTER_NAME_LABEL,
  DEPLOYMENT_NAME_LABEL,
  type Frozen,
  labelValueFor,
  type MachineSet,
  SET_NAME_LABEL,
  TEMPLATE_HASH_LABEL,
} from "@capstan/api";
import { withPrototypeImage } from "../contract/prototype-image.ts";
import { templateMetadata } from "./configuration.ts";
import type { BootstrapSource, MachineOwner, Texts } from "./owner.ts";

const DEFAULT_NAMING = "{{ .machineSet.name }}-{{ .random }}";
const TEMPLATE_SPEC = "spec.template.spec";

/** A MachineSet as the owner of its machines. */
export function setOwner(set: Frozen<MachineSet>): MachineOwner {
  const { clusterName, template, machineNaming } = set.spec;
  const { version, failureDomain, infrastructureRef } = template.spec;
  const membership = membershipOf(set);
  return {
    object: set,
    clusterName,
    fieldManager: "capi-machineset",
    membership,
    metadata: templateMetadata(template.metadata, membership),
    machineAnnotations: () => ({}),
    followed: template.spec,
    version,
    failureDomain,
    naming: {
      template: machineNaming?.template ?? DEFAULT_NAMING,
      values: { ".cluster.name": clusterName, ".machineSet.name": set.metadata.name },
    },
    infrastructure: { reference: infrastructureRef, field: `${TEMPLATE_SPEC}.infrastructureRef` },
    bootstrap: bootstrapOf(set),
    adjustClone: withPrototypeImage,
  };
}

function membershipOf({ metadata, spec }: Frozen<MachineSet>): Texts {
  const deployment = metadata.labels?.[DEPLOYMENT_NAME_LABEL];
  const hash = spec.template.metadata?.labels?.[TEMPLATE_HASH_LABEL];
  return {
    ...(deployment !== undefined && { [DEPLOYMENT_NAME_LABEL]: deployment }),
    [CLUSTER_NAME_LABEL]: spec.clusterName,
    ...(hash !== undefined && { [TEMPLATE_HASH_LABEL]: hash }),
    [SET_NAME_LABEL]: labelValueFor(metadata.name),
  };
}

function bootstrapOf({ spec }: Frozen<MachineSet>): BootstrapSource {
  const { configRef, dataSecretName } = spec.template.spec.bootstrap;
  if (!configRef) return { from: "secret", name: dataSecretName };
  return { from: "template", reference: configRef, field: `${TEMPLATE_SPEC}.bootstrap.configRef` };
}
