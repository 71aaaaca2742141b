import { toConvertedDefinition } from "@capstan/api";
import { accessObjects } from "./access.ts";
import { managerNamespace, managerObjects } from "./manager-objects.ts";
import { EVERYTHING, type Manifest, type Selection } from "./names.ts";
import { webhookObjects } from "./webhook-objects.ts";

/** What a management cluster gets beside our CRDs, by the folders of `config/`. */
export interface Installation {
  readonly rbac: readonly Manifest[];
  readonly manager: readonly Manifest[];
  readonly webhook: readonly Manifest[];
}

/** Everything that runs the manager from an image. `config/` is generated from it. */
export function installation(image: string, selection: Selection = EVERYTHING): Installation {
  return {
    rbac: [managerNamespace, ...accessObjects(selection)],
    manager: managerObjects(image, selection),
    webhook: webhookObjects(selection),
  };
}

/** The CRDs of our kinds, with all of their versions: the manager converts between them. */
export function definitions({ kinds }: Selection = EVERYTHING): readonly Manifest[] {
  return kinds.map((kind) => ({ ...toConvertedDefinition(kind) }));
}

/** All objects in the order of creation: each follows what it depends on. */
export function inOrder(parts: Installation): readonly Manifest[] {
  return [...servers(parts), ...reviews(parts)];
}

/** The manager and its Services: CRDs follow them, because the manager converts stored objects. */
export function servers({ rbac, manager, webhook }: Installation): readonly Manifest[] {
  return [...rbac, ...manager, ...webhook.filter(({ kind }) => kind === "Service")];
}

/** The admission webhooks, which follow the CRDs that they review objects of. */
export function reviews({ webhook }: Installation): readonly Manifest[] {
  return webhook.filter(({ kind }) => kind !== "Service");
}
