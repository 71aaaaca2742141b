import { type Block, readBlocks, type Schema } from "../notation.ts";
import { core } from "./core.ts";
import { apiextensions } from "./definitions.ts";
import { meta } from "./meta.ts";
import { pod } from "./pod.ts";
import { coordination, events, policy, rbac, storage } from "./policies.ts";
import { authentication, authorization } from "./reviews.ts";
import { apps, autoscaling, batch } from "./workloads.ts";

/** The descriptions of all of Kubernetes' own kinds. */
export const builtInBlocks: readonly Block[] = [
  meta,
  core,
  pod,
  apps,
  batch,
  autoscaling,
  policy,
  coordination,
  rbac,
  events,
  storage,
  authentication,
  authorization,
  apiextensions,
];

let schemas: ReadonlyMap<string, Schema> | undefined;

/** The schemas of Kubernetes' own kinds, parsed on first use. */
export function builtInSchemas(): ReadonlyMap<string, Schema> {
  schemas ??= readBlocks(builtInBlocks);
  return schemas;
}
