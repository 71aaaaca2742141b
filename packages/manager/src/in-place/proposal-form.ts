/** The objects of a machine as the messages of the proposal have them: in v1beta1, whichever version is stored. */
import {
  CONTROL_PLANE_LABEL,
  customKinds,
  type CustomKind,
  type Frozen,
  groupOf,
  isJsonObject,
  KubeadmConfig,
  type Machine,
  versionConversion,
} from "@capstan/api";
import type { ContractObject } from "../contract/contract-object.ts";

const VERSION = "v1beta1";

/** Converts the objects of one machine. References of the machine name the versions that these objects have. */
export function proposalForm(
  parts: readonly Frozen<ContractObject>[],
): (object: Frozen<ContractObject>, machine: Frozen<Machine>) => Frozen<ContractObject> {
  const versionOf = (group: string, kind: string): string | undefined =>
    parts
      .map((part) => converted(part, () => undefined))
      .find((part) => part.kind === kind && groupOf(part.apiVersion) === group)
      ?.apiVersion.slice(group.length + 1);
  return (object, machine) => withVersion(converted(object, versionOf), machine);
}

function converted(
  object: Frozen<ContractObject>,
  versionOf: (group: string, kind: string) => string | undefined,
): Frozen<ContractObject> {
  const kind = kindWithOlderVersion(object);
  if (!kind) return object;
  const to = `${kind.group}/${VERSION}`;
  const { object: older } = versionConversion(kind, { versionOf })(object, {
    from: object.apiVersion,
    to,
  });
  return older as unknown as ContractObject;
}

function kindWithOlderVersion({ apiVersion, kind }: Frozen<ContractObject>): CustomKind | undefined {
  return customKinds.find(
    (one) =>
      one.kind === kind &&
      one.apiVersion === apiVersion &&
      one.converted.some(({ version }) => version === VERSION),
  );
}

/**
 * The config of a control plane names the version of Kubernetes in the proposal's examples; v1beta2 has no field for it, and
 * the Machine has the same one.
 */
function withVersion(object: Frozen<ContractObject>, machine: Frozen<Machine>): Frozen<ContractObject> {
  const { version } = machine.spec;
  const isControlPlane = machine.metadata.labels?.[CONTROL_PLANE_LABEL] !== undefined;
  const isConfig = object.kind === KubeadmConfig.kind && groupOf(object.apiVersion) === KubeadmConfig.group;
  if (!isConfig || !isControlPlane || version === undefined) return object;
  const spec = isJsonObject(object.spec) ? object.spec : {};
  const configuration = isJsonObject(spec["clusterConfiguration"]) ? spec["clusterConfiguration"] : {};
  return {
    ...object,
    spec: { ...spec, clusterConfiguration: { ...configuration, kubernetesVersion: version } },
  };
}
