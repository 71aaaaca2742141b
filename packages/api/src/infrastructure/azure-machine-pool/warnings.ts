import type { AdmissionRequest, CustomObject } from "../../kind.ts";
import type { Frozen } from "../../kubernetes/meta.ts";
import { hasShortInterval, NODE_CACHING_ANNOTATIONS } from "./node-prototyping.ts";
import type { AzureMachinePoolSpec, AzureMachinePoolStatus } from "./schema.ts";

type Pool = CustomObject<AzureMachinePoolSpec, AzureMachinePoolStatus>;

interface Doubt {
  readonly isRaisedBy: (pool: Frozen<Pool>) => boolean;
  readonly warning: string;
}

const DOUBTS: readonly Doubt[] = [
  {
    isRaisedBy: ({ spec }) => spec.image?.nodePrototyping !== undefined,
    warning: "spec.image.nodePrototyping is an older place; use spec.template.image.nodePrototyping",
  },
  ...NODE_CACHING_ANNOTATIONS.map((name) => ({
    isRaisedBy: ({ metadata }: Frozen<Pool>) => metadata.annotations?.[name] !== undefined,
    warning: `annotation ${name} is deprecated; use spec.template.image.nodePrototyping.interval`,
  })),
  {
    isRaisedBy: ({ spec }) => spec.template.nodeCachingMode !== undefined,
    warning: "spec.template.nodeCachingMode is an older name; use spec.template.image.nodePrototyping",
  },
  {
    isRaisedBy: hasShortInterval,
    warning:
      "nodePrototyping.interval is below 1h: a renewal takes about half an hour, so a node is out of service much of the time",
  },
  {
    isRaisedBy: ({ spec }) => spec.template.image?.sharedGallery !== undefined,
    warning: "spec.template.image.sharedGallery is deprecated; use computeGallery",
  },
  {
    isRaisedBy: hasHalfAPlan,
    warning:
      "spec.template.image.sharedGallery names a part of a purchase plan, which has no effect; set publisher, offer and sku, or none of them",
  },
  {
    isRaisedBy: ({ spec }) => spec.template.disableVMBootstrapExtension === false,
    warning:
      "spec.template.disableVMBootstrapExtension: false has no effect: no extension reports on the bootstrap; the condition BootstrapSucceeded of each AzureMachinePoolMachine comes from its Node",
  },
];

/** Warns about settings of a pool that are valid but probably a mistake. */
export function azureMachinePoolWarnings({ object }: AdmissionRequest<Pool>): readonly string[] {
  return DOUBTS.filter(({ isRaisedBy }) => isRaisedBy(object)).map(({ warning }) => warning);
}

function hasHalfAPlan({ spec }: Frozen<Pool>): boolean {
  const { publisher, offer, sku } = spec.template.image?.sharedGallery ?? {};
  const given = [publisher, offer, sku].filter(Boolean).length;
  return given === 1 || given === 2;
}
