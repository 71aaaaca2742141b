import { toCustomResourceDefinition } from "@capstan/api";
import { accessObjects } from "./access.ts";
import { managerNamespace, managerObjects } from "./manager-objects.ts";
import { installedKinds, type Manifest } from "./names.ts";
import { webhookObjects } from "./webhook-objects.ts";

/** What a management cluster gets beside the definitions of our kinds, by the folders of `config/`. */
export interface Installation {
  readonly rbac: readonly Manifest[];
  readonly manager: readonly Manifest[];
  readonly webhook: readonly Manifest[];
}

/** Everything that runs the manager from an image. `config/` is a print-out of it. */
export function installation(image: string): Installation {
  return {
    rbac: [managerNamespace, ...accessObjects()],
    manager: managerObjects(image),
    webhook: webhookObjects(),
  };
}

/** The definitions of our kinds. */
export function definitions(): readonly Manifest[] {
  return installedKinds.map((kind) => ({ ...toCustomResourceDefinition(kind) }));
}

/** All objects in the order in which they are created: nothing comes before what it needs. */
export function inOrder({ rbac, manager, webhook }: Installation): readonly Manifest[] {
  return [...rbac, ...manager, ...webhook];
}
