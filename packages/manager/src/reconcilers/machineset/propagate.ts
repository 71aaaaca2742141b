import { digest } from "@capstan/azure";
import { again, FIELD_CONTESTED, next, type Outcome } from "@capstan/runtime";
import { followedFields } from "../../machines/configuration.ts";
import {
  CONTEST_MS,
  followers,
  isEmpty,
  propagateToClones,
  propagateToMachine,
  unlessContested,
} from "../../machines/propagate.ts";
import type { Scope } from "./scope.ts";

/** Gives machines and their clones the fields of the template that need no new machine. The status tells what they have. */
export async function propagateFields(scope: Scope): Promise<Outcome> {
  const { set, owner } = scope;
  const hashes = { spec: digest(followedFields(owner)), metadata: digest(owner.metadata) };
  const propagatedHash = `${hashes.spec}${hashes.metadata}`;
  const before = set.status?.propagatedHash;
  const isMetadataChanged = before?.endsWith(hashes.metadata) !== true;
  for (const machine of followers(scope)) {
    await unlessContested(scope, () => propagateToMachine(scope, machine, before !== propagatedHash));
    if (isMetadataChanged || !isEmpty(owner.metadata))
      await unlessContested(scope, () => propagateToClones(scope, machine, () => isMetadataChanged));
  }
  set.status = { ...set.status, propagatedHash };
  return scope.contest ? again(scope.contest.retryAfterMs ?? CONTEST_MS, FIELD_CONTESTED) : next;
}
