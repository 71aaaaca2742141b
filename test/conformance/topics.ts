import type { Behaviour } from "./behaviour.ts";
import { accessBehaviours } from "./behaviours/access.ts";
import { coreKindBehaviours } from "./behaviours/core-kinds.ts";
import { createBehaviours } from "./behaviours/create.ts";
import { customKindBehaviours } from "./behaviours/custom-kinds.ts";
import { deleteBehaviours } from "./behaviours/delete.ts";
import { discoveryBehaviours } from "./behaviours/discovery.ts";
import { fieldValidationBehaviours } from "./behaviours/field-validation.ts";
import { hostileBehaviours } from "./behaviours/hostile.ts";
import { kubectlBehaviours } from "./behaviours/kubectl.ts";
import { namespaceBehaviours } from "./behaviours/namespaces.ts";
import { outputBehaviours } from "./behaviours/output.ts";
import { patchBehaviours } from "./behaviours/patch.ts";
import { podBehaviours } from "./behaviours/pods.ts";
import { readBehaviours } from "./behaviours/read.ts";
import { selectorBehaviours } from "./behaviours/selectors.ts";
import { updateBehaviours } from "./behaviours/update.ts";
import { versionBehaviours } from "./behaviours/versions.ts";
import { watchBehaviours } from "./behaviours/watch.ts";

/** All that is expected of a server, by topic. */
export const TOPICS: Readonly<Record<string, readonly Behaviour[]>> = {
  create: createBehaviours,
  "get and list": readBehaviours,
  selectors: selectorBehaviours,
  update: updateBehaviours,
  patch: patchBehaviours,
  delete: deleteBehaviours,
  watch: watchBehaviours,
  output: outputBehaviours,
  discovery: discoveryBehaviours,
  "custom kinds": customKindBehaviours,
  versions: versionBehaviours,
  "field validation": fieldValidationBehaviours,
  namespaces: namespaceBehaviours,
  pods: podBehaviours,
  "core kinds": coreKindBehaviours,
  access: accessBehaviours,
  kubectl: kubectlBehaviours,
  "hostile input": hostileBehaviours,
};
