import type { Draft } from "../../storage/storage.ts";
import { type Fields, fillIn, objectMadeIn, objectsIn } from "../fields.ts";

const GROUP = "rbac.authorization.k8s.io";

/** Sets the defaults of a binding of a role. */
export function defaultBinding(binding: Draft): void {
  fillIn(objectMadeIn(binding, "roleRef"), { apiGroup: GROUP });
  for (const subject of objectsIn(binding, "subjects")) defaultSubject(subject);
}

/** Service accounts belong to the core group, whose name is empty and not printed. */
function defaultSubject(subject: Fields): void {
  if (subject["kind"] === "User" || subject["kind"] === "Group") fillIn(subject, { apiGroup: GROUP });
}
