import { digest } from "@capstan/azure";
import { next, type Outcome } from "@capstan/runtime";
import { followedFields } from "../../machines/configuration.ts";
import { propagateTemplate } from "../../machines/propagate.ts";
import type { Scope } from "./scope.ts";

/** Gives machines and their clones the fields of the template that need no new machine. The status tells what they have. */
export async function propagateFields(scope: Scope): Promise<Outcome> {
  const { set, owner } = scope;
  const hashes = { spec: digest(followedFields(owner)), metadata: digest(owner.metadata) };
  const propagatedHash = `${hashes.spec}${hashes.metadata}`;
  const before = set.status?.propagatedHash;
  await propagateTemplate(scope, {
    isChanged: before !== propagatedHash,
    isMetadataChanged: before?.endsWith(hashes.metadata) !== true,
  });
  set.status = { ...set.status, propagatedHash };
  return next;
}
