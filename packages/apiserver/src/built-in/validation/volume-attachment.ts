import { deepEqual, dns1123SubdomainProblems } from "@capstan/api";
import { type FieldProblem, requiredValue } from "../../schema/problem.ts";
import type { Draft, StoredObject } from "../../storage/storage.ts";
import { type Fields, objectIn, textIn } from "../fields.ts";
import { formProblems, invalidStruct } from "./checks.ts";

/** Validates a VolumeAttachment. */
export function volumeAttachmentProblems(draft: Draft, old: StoredObject | undefined): FieldProblem[] {
  const spec = objectIn(draft, "spec");
  if (old) return deepEqual(spec, old["spec"]) ? [] : [changeProblem(spec)];
  const attacher = textIn(spec, "attacher");
  const volume = objectIn(spec, "source")["persistentVolumeName"] as string | undefined;
  return [
    ...(attacher === "" ? [requiredValue("spec.attacher")] : []),
    ...sourceProblems(objectIn(spec, "source")),
    ...formProblems("spec.nodeName", textIn(spec, "nodeName"), dns1123SubdomainProblems),
    ...(attacher === "" ? [] : formProblems("spec.attacher", attacher, dns1123SubdomainProblems)),
    ...(volume === undefined
      ? []
      : formProblems("spec.source.persistentVolumeName", volume, dns1123SubdomainProblems)),
  ];
}

function sourceProblems({ inlineVolumeSpec, persistentVolumeName }: Fields): FieldProblem[] {
  if ((inlineVolumeSpec === undefined) === (persistentVolumeName === undefined))
    return [
      requiredValue("spec.source", "must specify exactly one of inlineVolumeSpec and persistentVolumeName"),
    ];
  return persistentVolumeName === ""
    ? [requiredValue("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName")]
    : [];
}

function changeProblem(spec: Fields): FieldProblem {
  const { persistentVolumeName = null, inlineVolumeSpec = null } = objectIn(spec, "source");
  const shown = {
    Attacher: textIn(spec, "attacher"),
    Source: { PersistentVolumeName: persistentVolumeName, InlineVolumeSpec: inlineVolumeSpec },
    NodeName: textIn(spec, "nodeName"),
  };
  return invalidStruct("spec", shown, "field is immutable");
}
