import { dns1123LabelProblems } from "@capstan/api";
import { type FieldProblem, forbiddenValue, invalidValue, requiredValue } from "../../schema/problem.ts";
import type { Draft, StoredObject } from "../../storage/storage.ts";
import { type Fields, objectIn, objectsIn, textIn } from "../fields.ts";
import { choiceProblems, formProblems, labelProblems, objectNameProblems } from "./checks.ts";
import { containerProblems } from "./container.ts";
import { podChangeProblems } from "./pod-change.ts";
import { tolerationProblems } from "./toleration.ts";
import { volumeProblems } from "./volume.ts";

/** Validates a Pod. */
export function podProblems(draft: Draft, old: StoredObject | undefined): FieldProblem[] {
  const spec = objectIn(draft, "spec");
  const before = old && objectIn(old, "spec");
  // Nearly all updates of a pod leave its spec unchanged, and an unchanged spec is still valid.
  if (before === spec) return [];
  return [
    ...podSpecProblems("spec", spec),
    ...(before ? podChangeProblems(spec, before) : newPodProblems(spec)),
  ];
}

/** Validates the spec of a pod or of a template. */
export function podSpecProblems(at: string, spec: Fields): FieldProblem[] {
  const volumes = new Set(objectsIn(spec, "volumes").map((volume) => textIn(volume, "name")));
  const around = { volumes, names: new Set<string>() };
  const containers = objectsIn(spec, "containers");
  return [
    ...volumeProblems(`${at}.volumes`, spec),
    ...(containers.length === 0
      ? [requiredValue(`${at}.containers`)]
      : containerProblems(`${at}.containers`, containers, around)),
    ...containerProblems(`${at}.initContainers`, objectsIn(spec, "initContainers"), around),
    ...choiceProblems(`${at}.restartPolicy`, textIn(spec, "restartPolicy"), ["Always", "OnFailure", "Never"]),
    ...choiceProblems(`${at}.dnsPolicy`, textIn(spec, "dnsPolicy"), [
      "ClusterFirstWithHostNet",
      "ClusterFirst",
      "Default",
      "None",
    ]),
    ...labelProblems(`${at}.nodeSelector`, objectIn(spec, "nodeSelector")),
    ...objectNameProblems(`${at}.serviceAccountName`, textIn(spec, "serviceAccountName")),
    ...objectNameProblems(`${at}.nodeName`, textIn(spec, "nodeName")),
    ...deadlineProblems(`${at}.activeDeadlineSeconds`, spec["activeDeadlineSeconds"]),
    ...["hostname", "subdomain"].flatMap((name) =>
      spec[name] === undefined ? [] : formProblems(`${at}.${name}`, textIn(spec, name), dns1123LabelProblems),
    ),
    ...tolerationProblems(`${at}.tolerations`, objectsIn(spec, "tolerations")),
  ];
}

const LONGEST_SECONDS = 2_147_483_647;

function deadlineProblems(field: string, seconds: unknown): FieldProblem[] {
  if (seconds === undefined || (Number(seconds) >= 1 && Number(seconds) <= LONGEST_SECONDS)) return [];
  return [invalidValue(field, seconds, `must be between 1 and ${LONGEST_SECONDS}, inclusive`)];
}

function newPodProblems(spec: Fields): FieldProblem[] {
  return [
    ...(spec["ephemeralContainers"] === undefined
      ? []
      : [forbiddenValue("spec.ephemeralContainers", "cannot be set on create")]),
    ...imageProblems(spec),
  ];
}

function imageProblems(spec: Fields): FieldProblem[] {
  return ["containers", "initContainers"].flatMap((list) =>
    objectsIn(spec, list).flatMap((container, index) => {
      const image = textIn(container, "image");
      if (image === image.trim()) return [];
      const detail = "must not have leading or trailing whitespace";
      return [invalidValue(`spec.${list}[${index}].image`, image, detail)];
    }),
  );
}
