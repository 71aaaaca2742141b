/** Defaults and validation that MachineSets and MachineDeployments share. */
import {
  type LabelSelector,
  type LabelSelectorLike,
  formatSelector,
  labelSelectorProblem,
  selectorMatches,
  selectorOf,
} from "../kubernetes/label-selector.ts";
import type { Frozen, ObjectMeta } from "../kubernetes/meta.ts";
import { type FieldError, invalid } from "../values/field-error.ts";
import type { MachineTemplate } from "./v1beta2/fields.ts";
import { immutableErrors, machineTemplateErrors, namingErrors, workerTaintErrors } from "./machine-rules.ts";
import { autoscalerErrors } from "./replicas.ts";
import { SKIP_PREFLIGHT_CHECKS_ANNOTATION } from "./well-known.ts";

/**
 * Replaces a selector that would match all machines by one with the owner's name, and adds that label to the template.
 */
export function defaultSelector(
  owner: { selector: LabelSelector; template: MachineTemplate },
  label: string,
  name: string,
): void {
  const { selector, template } = owner;
  const empty =
    Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;
  if (!empty) return;
  selector.matchLabels = { [label]: name };
  addTemplateLabel(template, label, name);
}

/** Adds a label to everything that a template creates. */
export function addTemplateLabel(template: MachineTemplate, label: string, value: string): void {
  template.metadata = { ...template.metadata, labels: { ...template.metadata?.labels, [label]: value } };
}

/** A MachineSet or MachineDeployment, as far as the rules for both need it. */
interface MachineOwner {
  readonly metadata: Frozen<ObjectMeta>;
  readonly spec: {
    readonly clusterName: string;
    readonly replicas?: number;
    readonly selector: LabelSelectorLike;
    readonly template: Frozen<MachineTemplate>;
    readonly machineNaming?: { readonly template?: string };
  };
}

/** Validates a MachineSet or MachineDeployment. */
export function machineOwnerErrors(owner: MachineOwner, old: MachineOwner | undefined): FieldError[] {
  const { metadata, spec } = owner;
  return [
    ...machineTemplateErrors(spec),
    ...workerTaintErrors("spec.template.spec.taints", spec.template.spec.taints),
    ...selectorErrors(spec),
    ...replicaErrors(spec.replicas, old?.spec.replicas),
    ...preflightErrors(metadata),
    ...autoscalerErrors(metadata),
    ...namingErrors("spec.machineNaming.template", spec.machineNaming?.template),
    ...(old ? immutableErrors("spec.clusterName", spec.clusterName, old.spec.clusterName) : []),
  ];
}

// Twenty times the Nodes that a cluster of Kubernetes can have: a larger number is a mistake, and each machine costs money.
const MOST_REPLICAS = 100_000;

/** Reports more machines than any cluster can have; an object that was stored with them can still be changed and deleted. */
function replicaErrors(replicas = 0, before = 0): FieldError[] {
  if (replicas <= MOST_REPLICAS || replicas === before) return [];
  return [invalid("spec.replicas", replicas, `must be at most ${MOST_REPLICAS}`)];
}

/** Reports a selector that is invalid, or does not match the template. */
function selectorErrors(owner: MachineOwner["spec"]): FieldError[] {
  const problem = labelSelectorProblem(owner.selector);
  if (problem !== undefined) return [invalid("spec.selector", owner.selector, problem)];
  const selector = selectorOf(owner.selector);
  const labels = owner.template.metadata?.labels ?? {};
  if (selectorMatches(selector, labels)) return [];
  const wanted = JSON.stringify(formatSelector(selector));
  return [invalid("spec.template.metadata.labels", labels, `must match spec.selector ${wanted}`)];
}

const PREFLIGHT_CHECKS: readonly string[] = [
  "All",
  "ControlPlaneIsStable",
  "ControlPlaneVersionSkew",
  "KubeadmVersionSkew",
  "KubernetesVersionSkew",
];

/** Reports preflight checks in an annotation that do not exist. */
function preflightErrors(metadata: Frozen<ObjectMeta>): FieldError[] {
  const skipped = metadata.annotations?.[SKIP_PREFLIGHT_CHECKS_ANNOTATION] ?? "";
  const unknown =
    skipped === "" ? [] : skipped.split(",").filter((name) => !PREFLIGHT_CHECKS.includes(name.trim()));
  if (unknown.length === 0) return [];
  const field = `metadata.annotations[${SKIP_PREFLIGHT_CHECKS_ANNOTATION}]`;
  return [invalid(field, skipped, `must be a comma separated list of ${PREFLIGHT_CHECKS.join(", ")}`)];
}
