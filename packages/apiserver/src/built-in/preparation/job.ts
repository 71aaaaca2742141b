import type { Draft, StoredObject } from "../../storage/storage.ts";
import { type Fields, objectIn, objectMadeIn } from "../fields.ts";

/** A job recognizes its pods by its own uid, unless somebody insists on another selector. */
export function prepareJob(draft: Draft, old: StoredObject | undefined): void {
  if (old) return;
  draft["status"] = {};
  const spec = objectMadeIn(draft, "spec");
  if (spec["manualSelector"] === true || spec["selector"] !== undefined) return;
  const { name, uid } = draft.metadata;
  const labels = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name,
  };
  const template = objectMadeIn(objectMadeIn(spec, "template"), "metadata");
  for (const metadata of [template, draft.metadata as unknown as Fields])
    metadata["labels"] = { ...objectIn(metadata, "labels"), ...labels };
  spec["selector"] = { matchLabels: { "batch.kubernetes.io/controller-uid": uid } };
}
