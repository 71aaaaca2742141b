import { customKinds } from "../kinds.ts";
import type { JsonObject } from "../values/json-object.ts";
import { olderContractVersionIn } from "./contract-version.ts";
import type { Converted } from "./conversion.ts";
import { versionConversion } from "./version-conversion.ts";

/** An object of one of our kinds in the version that our own code speaks; undefined if it is in that version, or of another kind. */
export function inStoredVersion(object: JsonObject): Converted | undefined {
  const { apiVersion, kind: name } = object;
  const kind = customKinds.find(
    (one) =>
      one.kind === name && one.converted.some(({ version }) => `${one.group}/${version}` === apiVersion),
  );
  if (!kind) return undefined;
  return versionConversion(kind, { versionOf: ownVersionOf })(object, {
    from: String(apiVersion),
    to: kind.apiVersion,
  });
}

/** The version of one of our kinds in references of v1beta1, which needs no look at a server. */
export function ownVersionOf(group: string, name: string): string | undefined {
  const kind = customKinds.find((one) => one.group === group && one.kind === name);
  return kind && (olderContractVersionIn(kind.crdLabels) ?? kind.version);
}
