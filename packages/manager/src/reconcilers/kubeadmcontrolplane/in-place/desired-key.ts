import {
  APPROVED_UPDATE_ANNOTATION,
  type Frozen,
  isJsonObject,
  KubeadmControlPlane,
  versionConversion,
} from "@capstan/api";
import { hashOf } from "../../../in-place/decisions.ts";

/**
 * Identifies the desired state of the machines. The sign of an update, its decisions and a user's approval carry it, so that
 * a newer desired state is recognized.
 *
 * A rollout that release 0.1 began keeps the key of that release until the desired state changes: a new key would ask the
 * updaters again and forget the approval.
 */
export function desiredKey(controlPlane: Frozen<KubeadmControlPlane>): string {
  const { version, kubeadmConfigSpec = {}, machineTemplate, rollout } = controlPlane.spec;
  const { apiGroup, kind, name } = machineTemplate.spec.infrastructureRef;
  const key = hashOf([version, kubeadmConfigSpec, apiGroup, kind, name, rollout?.after ?? ""]);
  const others = recordedKeys(controlPlane).filter((recorded) => recorded !== key);
  if (others.length === 0) return key;
  return keysOfOlderForm(controlPlane).find((older) => others.includes(older)) ?? key;
}

/** The keys of the rollout that has begun. */
function recordedKeys({ metadata, status }: Frozen<KubeadmControlPlane>): readonly string[] {
  const approved = metadata.annotations?.[APPROVED_UPDATE_ANNOTATION];
  return [status?.inPlace?.key, approved].filter((key) => key !== undefined);
}

// Release 0.1 knew providers of this version only.
const VERSION = "v1beta1";
const toOlderVersion = versionConversion(KubeadmControlPlane, { versionOf: () => VERSION });

interface OlderSpec {
  readonly version: string;
  readonly kubeadmConfigSpec: object;
  readonly machineTemplate: {
    readonly infrastructureRef: { readonly apiVersion: string; readonly kind: string; readonly name: string };
  };
  readonly rolloutAfter?: string;
}

/**
 * The keys that release 0.1 may have given to this desired state. They depend on the order of fields: kube-apiserver sorts
 * them; the embedded server keeps the order of kubectl, which is sorted, too, and adds defaults at the end. A key that is
 * not among them is as safe as a change of the desired state: updaters are asked, and a user approves, once more.
 */
function keysOfOlderForm(controlPlane: Frozen<KubeadmControlPlane>): readonly string[] {
  const { apiVersion, kind, metadata, spec } = controlPlane;
  const { object } = toOlderVersion(
    { apiVersion, kind, metadata, spec },
    { from: apiVersion, to: `${KubeadmControlPlane.group}/${VERSION}` },
  );
  const { version, kubeadmConfigSpec, machineTemplate, rolloutAfter = "" } = object["spec"] as OlderSpec;
  const template = machineTemplate.infrastructureRef;
  return [[], DEFAULTED].map((last) =>
    hashOf([
      version,
      sorted(kubeadmConfigSpec, last),
      template.apiVersion,
      template.kind,
      template.name,
      rolloutAfter,
    ]),
  );
}

/** The fields that admission of release 0.1 added. */
const DEFAULTED: readonly string[] = ["format", "imagePullPolicy"];

/** A value with the fields of its objects in order, and some of them last. */
function sorted(value: unknown, last: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => sorted(item, last));
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).toSorted();
  const isLast = (name: string): boolean => last.includes(name);
  const order = [...names.filter((name) => !isLast(name)), ...names.filter(isLast)];
  return Object.fromEntries(order.map((name) => [name, sorted(value[name], last)]));
}
