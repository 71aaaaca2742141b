import { type Fields, fillIn, objectIn, objectsIn } from "../fields.ts";

// Every user can read the files of these.
const WITH_FILES = ["secret", "configMap", "downwardAPI", "projected"];
const FILE_MODE = 0o644;

/** Defaults of single sources. */
const SOURCES: Readonly<Record<string, Readonly<Fields>>> = {
  hostPath: { type: "" },
  azureDisk: { cachingMode: "ReadWrite", kind: "Shared", fsType: "ext4", readOnly: false },
  iscsi: { iscsiInterface: "default" },
  rbd: { pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" },
  scaleIO: { storageMode: "ThinProvisioned", fsType: "xfs" },
};

/** Sets the defaults of a volume. One without a source is an empty directory. */
export function defaultVolume(volume: Fields): void {
  if (Object.keys(volume).every((field) => field === "name")) volume["emptyDir"] = {};
  for (const name of WITH_FILES) {
    if (volume[name]) fillIn(volume[name] as Fields, { defaultMode: FILE_MODE });
  }
  for (const name in SOURCES) {
    if (volume[name]) fillIn(volume[name] as Fields, SOURCES[name] ?? {});
  }
  defaultFields(objectIn(volume, "downwardAPI"));
  for (const source of objectsIn(objectIn(volume, "projected"), "sources")) defaultProjection(source);
  const claim = objectIn(objectIn(volume, "ephemeral"), "volumeClaimTemplate")["spec"] as Fields | undefined;
  if (claim) fillIn(claim, { volumeMode: "Filesystem" });
}

function defaultProjection(source: Fields): void {
  defaultFields(objectIn(source, "downwardAPI"));
  const token = source["serviceAccountToken"] as Fields | undefined;
  if (token) fillIn(token, { expirationSeconds: 3600 });
}

function defaultFields(downwardApi: Fields): void {
  for (const { fieldRef } of objectsIn(downwardApi, "items")) {
    if (fieldRef) fillIn(fieldRef as Fields, { apiVersion: "v1" });
  }
}
