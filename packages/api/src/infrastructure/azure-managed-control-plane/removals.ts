import { isJsonObject } from "../../values/json-object.ts";
import type { Frozen } from "../../kubernetes/meta.ts";
import { type FieldError, errorIf, forbidden } from "../../values/field-error.ts";
import type { AzureManagedControlPlaneSpec } from "./schema.ts";

type Spec = Frozen<AzureManagedControlPlaneSpec>;

const SECURITY_FIELDS = ["azureKeyVaultKms", "defender", "imageCleaner", "workloadIdentity"] as const;

/** Refuses to leave out what AKS would keep: a feature that was on is switched off by a value, not by its absence. */
export function removalErrors(spec: Spec, old: Spec | undefined): readonly FieldError[] {
  if (!old) return [];
  return [...addonErrors(spec, old), ...securityErrors(spec, old), ...upgradeErrors(spec, old)];
}

function addonErrors(spec: Spec, old: Spec): readonly FieldError[] {
  const names = new Set(spec.addonProfiles?.map(({ name }) => name));
  return (old.addonProfiles ?? [])
    .filter(({ name, enabled }) => enabled && !names.has(name))
    .map(({ name }) => keptByAks("spec.addonProfiles", `add-on ${name}`, "set its enabled to false"));
}

function securityErrors({ securityProfile }: Spec, old: Spec): readonly FieldError[] {
  return SECURITY_FIELDS.filter(
    (field) => isOn(old.securityProfile?.[field]) && securityProfile?.[field] === undefined,
  ).map((field) => {
    const off = field === "defender" ? "securityMonitoring.enabled" : "enabled";
    return keptByAks(`spec.securityProfile.${field}`, "it", `set ${off} to false`);
  });
}

/** Whether a feature may be on: those without a switch are. */
function isOn(profile: unknown): boolean {
  if (!isJsonObject(profile)) return false;
  const { enabled, securityMonitoring } = profile;
  const isMonitored = !isJsonObject(securityMonitoring) || securityMonitoring["enabled"] !== false;
  return enabled !== false && isMonitored;
}

function upgradeErrors(spec: Spec, old: Spec): readonly FieldError[] {
  const before = old.autoUpgradeProfile?.upgradeChannel ?? "none";
  const isUnset = spec.autoUpgradeProfile?.upgradeChannel === undefined;
  return [
    ...errorIf(
      before !== "none" && isUnset,
      keptByAks("spec.autoUpgradeProfile.upgradeChannel", before, "set it to none"),
    ),
    ...errorIf(
      old.aadProfile?.managed && spec.aadProfile?.managed === false,
      forbidden(
        "spec.aadProfile.managed",
        "cannot be turned off: AKS cannot change it on a running cluster; create a new one",
      ),
    ),
  ];
}

function keptByAks(path: string, what: string, instead: string): FieldError {
  return forbidden(path, `AKS keeps ${what} when it is left out; ${instead}`);
}
