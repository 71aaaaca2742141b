import type { Assumption } from "./assumption.ts";
import { IMAGE_CHECKS } from "./checks/images.ts";
import { INSTANCE_CHECKS, LAST_CHECKS } from "./checks/instances.ts";

/** What decisions of Capstan assume about Azure, in the order in which it is checked. */
export const ASSUMPTIONS: readonly Assumption[] = [...INSTANCE_CHECKS, ...IMAGE_CHECKS, ...LAST_CHECKS];
