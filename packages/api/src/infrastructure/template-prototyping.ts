/** Node OS image caching of an AzureMachineTemplate, in the two forms of the proposal: a field and an annotation. */
import type { Frozen } from "../kubernetes/meta.ts";
import { type Static, optional } from "../schema/schema.ts";
import type { FieldError } from "../values/field-error.ts";
import {
  type EffectivePrototyping,
  NodeCachingMode,
  nodePrototypingErrors,
  nodePrototypingOf,
  type PrototypingSource,
} from "./azure-machine-pool/node-prototyping.ts";
import type { AzureMachineSpec } from "./azure-machine.ts";

/** The field of a template's machines. It is a setting of the template: machines do not get it. */
export const cachingFields = { nodeCachingMode: optional(NodeCachingMode) };

/** The spec of the machines of a template. */
interface TemplateMachineSpec extends AzureMachineSpec {
  nodeCachingMode?: Static<typeof NodeCachingMode>;
}

interface CachingTemplate {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly template: { readonly spec: Frozen<TemplateMachineSpec> } };
}

/** The effective settings of a template; undefined = off. */
export function templatePrototypingOf(template: CachingTemplate): EffectivePrototyping | undefined {
  return nodePrototypingOf(sourceOf(template));
}

/** Validates the settings of a template. */
export function templatePrototypingErrors(template: CachingTemplate): readonly FieldError[] {
  return nodePrototypingErrors(sourceOf(template));
}

function sourceOf({ metadata, spec }: CachingTemplate): PrototypingSource {
  const { image, osDisk, nodeCachingMode } = spec.template.spec;
  return {
    metadata,
    at: "spec.template.spec",
    spec: { template: { ...(image && { image }), osDisk, ...(nodeCachingMode && { nodeCachingMode }) } },
  };
}
