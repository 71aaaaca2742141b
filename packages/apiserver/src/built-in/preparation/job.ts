import type { Draft, StoredObject } from "../../storage/storage.ts";
import { type Fields, objectIn, objectMadeIn } from "../fields.ts";

/** The label by which a job selects its pods. */
export const JOB_UID_LABEL = "batch.kubernetes.io/controller-uid";

/** A job selects its pods by its own uid, unless the user sets manualSelector. */
export function prepareJob(draft: Draft, old: StoredObject | undefined): void {
  if (old) return;
  draft["status"] = {};
  const spec = objectMadeIn(draft, "spec");
  if (spec["manualSelector"] === true) return;
  const { name, uid } = draft.metadata;
  const labels = {
    [JOB_UID_LABEL]: uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name,
  };
  const template = objectMadeIn(objectMadeIn(spec, "template"), "metadata");
  for (const metadata of [template, draft.metadata as unknown as Fields])
    metadata["labels"] = { ...objectIn(metadata, "labels"), ...labels };
  const selector = objectMadeIn(spec, "selector");
  selector["matchLabels"] = { ...objectIn(selector, "matchLabels"), [JOB_UID_LABEL]: uid };
}
