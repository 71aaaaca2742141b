import type { Frozen } from "@capstan/api";
import { node } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import type { VolumeAttachment } from "./kinds.ts";
import { volumesLeft } from "./volumes.ts";

const NODE = node({
  metadata: { name: "n" },
  status: { volumesAttached: [{ name: "kubernetes.io/csi/disk.csi.azure.com^/disks/a", devicePath: "" }] },
});

function attachment(name: string, nodeName: string, volume?: string): Frozen<VolumeAttachment> {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttachment",
    metadata: { name },
    spec: { nodeName, source: volume === undefined ? {} : { persistentVolumeName: volume } },
  };
}

test("volumes are left that the Node reports or that have an attachment, without duplicates", () => {
  const attachments = [
    attachment("x", "n", "pv-a"),
    attachment("y", "n", "pv-a"),
    attachment("inline", "n"),
    attachment("z", "n-1", "pv-c"),
  ];
  expect(volumesLeft({ node: NODE, attachments, held: [] })).toEqual([
    "inline",
    "kubernetes.io/csi/disk.csi.azure.com^/disks/a",
    "pv-a",
  ]);
});

test("volumes of pods that stay are not waited for", () => {
  const attachments = [attachment("x", "n", "pv-a"), attachment("y", "n", "pv-b")];
  const held = [{ name: "pv-a", handle: "/disks/a" }];
  expect(volumesLeft({ node: NODE, attachments, held })).toEqual(["pv-b"]);
});
