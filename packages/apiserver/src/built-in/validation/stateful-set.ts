import { deepEqual } from "@capstan/api";
import { type FieldProblem, forbiddenValue, invalidValue } from "../../schema/problem.ts";
import type { Draft, StoredObject } from "../../storage/storage.ts";
import { type Fields, objectIn } from "../fields.ts";
import { invalidStruct, negativeProblems } from "./checks.ts";
import { isUsable, ownSelectorProblems, templateProblems } from "./workload.ts";

/** Validates a StatefulSet. */
export function statefulSetProblems(draft: Draft, old: StoredObject | undefined): FieldProblem[] {
  const spec = objectIn(draft, "spec");
  return [
    ...policyProblems(spec),
    ...strategyProblems(objectIn(spec, "updateStrategy")),
    ...negativeProblems("spec", spec, ["replicas", "minReadySeconds"]),
    ...ownSelectorProblems(spec, "statefulset"),
    ...(isUsable(spec) ? templateProblems(withClaims(spec), "StatefulSet") : []),
    ...(old ? statefulSetChangeProblems(spec, objectIn(old, "spec")) : []),
  ];
}

function policyProblems({ podManagementPolicy: policy }: Fields): FieldProblem[] {
  if (policy === "OrderedReady" || policy === "Parallel") return [];
  return [invalidValue("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'")];
}

function strategyProblems({ type, rollingUpdate }: Fields): FieldProblem[] {
  if (type === "RollingUpdate" || type === "OnDelete") return [];
  const shown = { Type: type, RollingUpdate: rollingUpdate ?? null };
  return [invalidStruct("spec.updateStrategy", shown, "must be 'RollingUpdate' or 'OnDelete'")];
}

/** Its pods get a volume for each claim, under the name of the claim. */
function withClaims(spec: Fields): Fields {
  const claims = (spec["volumeClaimTemplates"] ?? []) as readonly { metadata?: { name?: string } }[];
  if (claims.length === 0) return spec;
  const template = objectIn(spec, "template");
  const podSpec = objectIn(template, "spec");
  const names = new Set(claims.map(({ metadata }) => metadata?.name ?? ""));
  const volumes = [
    ...[...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...((podSpec["volumes"] ?? []) as readonly Fields[]).filter(({ name }) => !names.has(String(name))),
  ];
  return { ...spec, template: { ...template, spec: { ...podSpec, volumes } } };
}

const CHANGEABLE = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];

function statefulSetChangeProblems(spec: Fields, old: Fields): FieldProblem[] {
  const fixed = Object.keys({ ...old, ...spec }).filter((name) => !CHANGEABLE.includes(name));
  if (fixed.every((name) => deepEqual(spec[name], old[name]))) return [];
  const listed = CHANGEABLE.map((name) => `'${name}'`);
  const names = `${listed.slice(0, -1).join(", ")} and ${listed.at(-1)}`;
  return [forbiddenValue("spec", `updates to statefulset spec for fields other than ${names} are forbidden`)];
}
