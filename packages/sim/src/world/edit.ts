import { customKinds } from "@capstan/api";
import type { Rng } from "@capstan/env";
import type { Client } from "@capstan/runtime";

/** A user edits the management cluster; returns what changed, or undefined when there was nothing to edit. */
export type Edit = (user: Client, rng: Rng) => Promise<string | undefined>;

/** The annotation that users put on our objects; no controller may remove it. */
export const USER_NOTE = "user.example.com/note";

/** A user annotates one of our objects. */
export const annotateSomething: Edit = async (user, rng) => {
  for (const kind of rng.shuffle(customKinds)) {
    const objects = await user.list(kind);
    if (objects.length === 0) continue;
    const { metadata } = rng.pick(objects);
    const body = { metadata: { annotations: { [USER_NOTE]: String(rng.below(1000)) } } };
    await user.patch(kind, metadata, { type: "merge", body });
    return `a user annotates ${kind.kind} ${metadata.name}`;
  }
  return undefined;
};
