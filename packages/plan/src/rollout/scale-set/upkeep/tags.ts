import type { Tags } from "../../../ownership-tags.ts";
import { counted } from "../../shared/action.ts";
import { type PoolAction, headingOf } from "../action.ts";
import type { PoolView } from "../view.ts";

type PatchTags = Extract<PoolAction, { readonly action: "PatchTags" }>;

/** Patches the tags of the scale set if they differ from the desired ones: neither its model nor any machine changes. */
export function patchTags(view: PoolView): PatchTags | undefined {
  const change = tagChange(view);
  if (!change) return undefined;
  const why = `${counted(count(change.set), "tag")} to set, ${count(change.remove)} to remove`;
  return { ...headingOf(view), action: "PatchTags", targets: [view.name], detail: change, why };
}

/** Whether the tags of the scale set differ from the desired ones. */
export function hasOtherTags(view: PoolView): boolean {
  return tagChange(view) !== undefined;
}

function tagChange({ tags }: PoolView): PatchTags["detail"] | undefined {
  if (!tags) return undefined;
  const { observed, desired } = tags;
  const set = filtered(desired, (name, value) => observed[name] !== value);
  const remove = filtered(observed, (name) => !Object.hasOwn(desired, name));
  return count(set) + count(remove) === 0 ? undefined : { set, remove };
}

function filtered(tags: Tags, isKept: (name: string, value: string) => boolean): Tags {
  return Object.fromEntries(Object.entries(tags).filter(([name, value]) => isKept(name, value)));
}

function count(tags: Tags): number {
  return Object.keys(tags).length;
}
