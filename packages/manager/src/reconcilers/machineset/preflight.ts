import {
  type Frozen,
  KubeadmConfigTemplate,
  type KubernetesObject,
  SKIP_PREFLIGHT_CHECKS_ANNOTATION,
} from "@capstan/api";
import { next, type Outcome } from "@capstan/runtime";
import { controlPlaneVersionsOf, saysNothing } from "../../contract/contract-object.ts";
import { resolve } from "../../contract/resolve.ts";
import { failedPreflight, type PreflightView } from "@capstan/plan";
import type { Scope } from "./scope.ts";

/** Finds out whether new machines could join their cluster. */
export async function checkPreflight(scope: Scope): Promise<Outcome> {
  const { set } = scope;
  const { version, bootstrap } = set.spec.template.spec;
  const { apiGroup, kind } = bootstrap.configRef ?? {};
  scope.preflight = failedPreflight({
    version,
    usesKubeadm: kind === KubeadmConfigTemplate.kind && apiGroup === KubeadmConfigTemplate.group,
    controlPlane: await controlPlaneOf(scope),
    skipped: [...skippedChecks(set), ...(await skippedByTemplate(scope))],
  });
  return next;
}

/** A control plane that does not exist, or on which no controller acts, holds up no machine: the Cluster reports it. */
async function controlPlaneOf({ context, cluster }: Scope): Promise<PreflightView["controlPlane"]> {
  const reference = cluster?.spec.controlPlaneRef;
  if (!reference || cluster.metadata.namespace === undefined) return undefined;
  const { namespace } = cluster.metadata;
  const resolved = await resolve(context, { reference, field: "spec.controlPlaneRef", namespace });
  return resolved.state === "found" && !saysNothing(resolved.object)
    ? controlPlaneVersionsOf(resolved.object)
    : undefined;
}

/** As in Cluster API, the template of bootstrap configs can skip checks, too: for every set that uses it. */
async function skippedByTemplate({ context, set }: Scope): Promise<readonly string[]> {
  const { configRef: reference } = set.spec.template.spec.bootstrap;
  const { namespace = "" } = set.metadata;
  if (!reference) return [];
  const resolved = await resolve(context, {
    reference,
    field: "spec.template.spec.bootstrap.configRef",
    namespace,
  });
  return resolved.state === "found" ? skippedChecks(resolved.object) : [];
}

function skippedChecks({ metadata }: Frozen<KubernetesObject>): readonly string[] {
  const names = metadata.annotations?.[SKIP_PREFLIGHT_CHECKS_ANNOTATION] ?? "";
  return names.split(",").map((name) => name.trim());
}
