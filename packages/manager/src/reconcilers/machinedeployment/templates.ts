import { next, type Outcome, waiting } from "@capstan/runtime";
import { ownTemplate } from "../../contract/own-template.ts";
import { absence, resolve, type ResolvedReference } from "../../contract/resolve.ts";
import type { Scope } from "./scope.ts";

/** Makes the Cluster an owner of the templates that exist. */
export async function ownTemplates(scope: Scope): Promise<Outcome> {
  const { cluster, context } = scope;
  if (!cluster) return next;
  for (const { resolved } of await templatesOf(scope)) await ownTemplate(context.client, resolved, cluster);
  return next;
}

/** A set whose templates do not exist could never create a machine, and old machines would be deleted for it. */
export async function requireTemplates(scope: Scope): Promise<void> {
  for (const { path, resolved } of await templatesOf(scope)) {
    if (resolved.state === "found") continue;
    throw waiting(
      "WaitingForTemplate",
      `${path}: ${absence(resolved)}`,
      resolved.isFollowed ? undefined : 30_000,
    );
  }
}

async function templatesOf({
  context,
  deployment,
}: Scope): Promise<readonly { readonly path: string; readonly resolved: ResolvedReference }[]> {
  const { namespace = "" } = deployment.metadata;
  const { infrastructureRef, bootstrap } = deployment.spec.template.spec;
  const references = { infrastructureRef, "bootstrap.configRef": bootstrap.configRef };
  const templates = [];
  for (const [field, reference] of Object.entries(references)) {
    if (!reference) continue;
    const path = `spec.template.spec.${field}`;
    templates.push({ path, resolved: await resolve(context, { reference, field: path, namespace }) });
  }
  return templates;
}
