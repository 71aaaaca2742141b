/** Node OS image caching of an AzureMachineTemplate, in the two forms of the proposal: a field and an annotation. */
import type { Frozen } from "../kubernetes/meta.ts";
import { type Static, object, optional } from "../schema/schema.ts";
import type { FieldError } from "../values/field-error.ts";
import {
  type EffectivePrototyping,
  NODE_CACHING_ANNOTATIONS,
  NodeCachingMode,
  NodePrototyping,
  nodePrototypingErrors,
  nodePrototypingOf,
  type PrototypingSource,
} from "./azure-machine-pool/node-prototyping.ts";
import type { AzureMachineSpec } from "./azure-machine.ts";
import { imageFields, oneImageSource } from "./image.ts";

/** Fields of a template's machines that are settings of the template: machines do not get them. */
export const cachingFields = {
  nodeCachingMode: optional(NodeCachingMode),
  image: optional(
    object(
      "The image they boot from; without it, the public one for the Kubernetes version.",
      { ...imageFields, nodePrototyping: optional(NodePrototyping) },
      { rules: [oneImageSource] },
    ),
  ),
};

/** The spec of the machines of a template. */
interface TemplateMachineSpec extends Omit<AzureMachineSpec, "image"> {
  image?: AzureMachineSpec["image"] & { nodePrototyping?: NodePrototyping };
  nodeCachingMode?: Static<typeof NodeCachingMode>;
}

/** What machines are created from: the spec without the settings of the template. */
export function machineSpecIn({ nodeCachingMode: _, image, ...spec }: Frozen<TemplateMachineSpec>): object {
  if (!image) return spec;
  const { nodePrototyping: __, ...source } = image;
  return { ...spec, image: source };
}

const PLACE = "spec.template.spec";

/** Warns about older places of the settings. */
export function templatePrototypingWarnings({ metadata, spec }: CachingTemplate): readonly string[] {
  const { image } = spec.template.spec;
  const older = NODE_CACHING_ANNOTATIONS.slice(1).filter(
    (name) => metadata.annotations?.[name] !== undefined,
  );
  return [
    ...(image?.nodePrototyping
      ? [
          `${PLACE}.image.nodePrototyping is a field of pools, and is read as ${PLACE}.nodeCachingMode; use ${PLACE}.nodeCachingMode`,
        ]
      : []),
    ...older.map((name) => `annotation ${name} is deprecated; use the annotation nodeCachingInterval`),
  ];
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
    at: PLACE,
    spec: { template: { ...(image && { image }), osDisk, ...(nodeCachingMode && { nodeCachingMode }) } },
  };
}
