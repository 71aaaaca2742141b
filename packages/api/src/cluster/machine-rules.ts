/** Defaults and validation that all kinds with machines share. */
import { UNINITIALIZED_TAINT, CLUSTER_NAME_LABEL, OUTDATED_REVISION_TAINT } from "./well-known.ts";
import type { MachineTemplate, MachineTemplateSpec } from "./v1beta2/fields.ts";
import type { MachineTaints } from "../kubernetes/taint.ts";
import type { Frozen, ObjectMeta } from "../kubernetes/meta.ts";
import { dns1123SubdomainProblems, labelKeyProblems } from "../kubernetes/names.ts";
import { templateMetadataErrors } from "../kubernetes/template-metadata.ts";
import { type FieldError, forbidden, invalid, required } from "../values/field-error.ts";
import { intOrPercentErrors, versionErrors } from "../values/value-errors.ts";
import { withLeadingV } from "../values/version.ts";

const DEFAULT_NODE_DELETION_SECONDS = 10;

/** Labels an object with its cluster, so that one selector finds everything of a cluster. */
export function labelWithCluster(metadata: ObjectMeta, clusterName: string): void {
  metadata.labels = { ...metadata.labels, [CLUSTER_NAME_LABEL]: clusterName };
}

/** Sets the defaults of a machine, or of a template. */
export function defaultMachineSpec(spec: MachineTemplateSpec): void {
  if (spec.version !== undefined) spec.version = withLeadingV(spec.version);
  spec.deletion = { nodeDeletionTimeoutSeconds: DEFAULT_NODE_DELETION_SECONDS, ...spec.deletion };
}

/** Validates a machine, or a template, at the given path. */
export function machineSpecErrors(field: string, spec: Frozen<MachineTemplateSpec>): FieldError[] {
  return [
    ...bootstrapErrors(spec.bootstrap, field),
    ...versionErrors(`${field}.version`, spec.version),
    ...deletionErrors(`${field}.deletion`, spec.deletion),
    ...taintErrors(`${field}.taints`, spec.taints),
  ];
}

/** Refuses negative timeouts, which a conversion from v1beta1 may bring past the schema. */
export function deletionErrors(
  field: string,
  timeouts: Frozen<MachineTemplateSpec>["deletion"],
): FieldError[] {
  return Object.entries(timeouts ?? {}).flatMap(([name, seconds]) =>
    seconds < 0 ? [invalid(`${field}.${name}`, seconds, "must be 0 or more")] : [],
  );
}

/** Validates a template of machines that must belong to the same cluster as its owner. */
export function machineTemplateErrors({
  clusterName,
  template,
}: {
  readonly clusterName: string;
  readonly template: Frozen<MachineTemplate>;
}): FieldError[] {
  const sameCluster = clusterName === template.spec.clusterName;
  return [
    ...(sameCluster
      ? []
      : [
          invalid(
            "spec.template.spec.clusterName",
            template.spec.clusterName,
            `must be the same as spec.clusterName, ${JSON.stringify(clusterName)}`,
          ),
        ]),
    ...machineSpecErrors("spec.template.spec", template.spec),
    ...templateMetadataErrors("spec.template.metadata", template.metadata),
  ];
}

/** Refuses a change of an immutable field. */
export function immutableErrors(field: string, value: unknown, old: unknown): FieldError[] {
  return value === old ? [] : [forbidden(field, `field is immutable; it was ${JSON.stringify(old)}`)];
}

/** Validates the limits of a rolling update. */
export function rolloutLimitErrors(
  field: string,
  limits: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string } | undefined,
): FieldError[] {
  const stuck = limits?.maxSurge === 0 && limits.maxUnavailable === 0;
  return [
    ...intOrPercentErrors(`${field}.maxSurge`, limits?.maxSurge),
    ...intOrPercentErrors(`${field}.maxUnavailable`, limits?.maxUnavailable),
    ...(stuck ? [invalid(field, limits, "maxUnavailable and maxSurge cannot both be 0")] : []),
  ];
}

/** Validates a template for the names of machines. */
export function namingErrors(field: string, template: string | undefined): FieldError[] {
  if (template === undefined) return [];
  if (!template.includes("{{ .random }}")) return [invalid(field, template, "must contain {{ .random }}")];
  // The template is checked with short placeholders for the names in it.
  const name = template.replaceAll(
    /\{\{ \.(random|cluster\.name|machineSet\.name|kubeadmControlPlane\.name) \}\}/g,
    "x",
  );
  if (name.includes("{{")) {
    return [
      invalid(field, template, "may only use {{ .random }}, {{ .cluster.name }} and the name of its owner"),
    ];
  }
  return dns1123SubdomainProblems(name).map((problem) =>
    invalid(field, template, `would not make valid names: ${problem}`),
  );
}

const RESERVED_TAINTS: readonly string[] = [UNINITIALIZED_TAINT, OUTDATED_REVISION_TAINT];
const USABLE_NODE_TAINT = "node.kubernetes.io/out-of-service";

/** Refuses taints that other components own and that a machine may not set. */
export function taintErrors(field: string, taints: Frozen<MachineTaints> | undefined): FieldError[] {
  return (taints ?? []).flatMap(({ key }, index) => {
    const problems = [taintOwner(key), ...labelKeyProblems(key)].filter((problem) => problem !== undefined);
    return problems.map((problem) => invalid(`${field}[${index}].key`, key, problem));
  });
}

/** Refuses the control plane taint on workers. */
export function workerTaintErrors(
  field: string,
  taints: readonly { readonly key: string }[] | undefined,
): FieldError[] {
  return (taints ?? []).flatMap(({ key }, index) =>
    key === "node-role.kubernetes.io/control-plane"
      ? [invalid(`${field}[${index}].key`, key, "taint is not allowed for worker machines")]
      : [],
  );
}

function taintOwner(key: string): string | undefined {
  if (RESERVED_TAINTS.includes(key)) return "taint key is not allowed: Cluster API sets it itself";
  if (key.startsWith("node.kubernetes.io/") && key !== USABLE_NODE_TAINT) {
    return `taint key must not have the prefix node.kubernetes.io/, except for ${USABLE_NODE_TAINT}`;
  }
  if (key.startsWith("node.cloudprovider.kubernetes.io/")) {
    return "taint key must not have the prefix node.cloudprovider.kubernetes.io/";
  }
  if (key === "node-role.kubernetes.io/master")
    return "taint is deprecated; use node-role.kubernetes.io/control-plane";
  return undefined;
}

function bootstrapErrors(bootstrap: Frozen<MachineTemplateSpec>["bootstrap"], field: string): FieldError[] {
  if (bootstrap.configRef !== undefined || bootstrap.dataSecretName !== undefined) return [];
  return [
    required(
      `${field}.bootstrap`,
      `set either ${field}.bootstrap.configRef or ${field}.bootstrap.dataSecretName`,
    ),
  ];
}
