import { expect, test } from "vitest";
import { versionFindings } from "./version-change.ts";

test.each<[string, Parameters<typeof versionFindings>[0], string[]]>([
  ["the same version", { from: "v1.34.1", to: "v1.34.1", controlPlane: "v1.34.1", usesKubeadm: true }, []],
  [
    "the version of the control plane",
    { from: "v1.33.5", to: "v1.34.1", controlPlane: "v1.34.1", usesKubeadm: true },
    ["not checked: whether there is an image of v1.34.1 for the machines"],
  ],
  [
    "a newer minor version than the control plane's",
    { from: "v1.34.1", to: "v1.35.0", controlPlane: "v1.34.1", usesKubeadm: true },
    [
      "blocked: machines of v1.35.0 are newer than the control plane, which has v1.34.1: kubeadm does not let them join; upgrade the control plane first",
      "not checked: whether there is an image of v1.35.0 for the machines",
    ],
  ],
  [
    "a newer one without kubeadm",
    { from: "v1.35.0", to: "v1.35.0", controlPlane: "v1.34.1", usesKubeadm: false },
    [
      "machines of v1.35.0 are newer than the control plane, which has v1.34.1: Kubernetes does not support them; upgrade the control plane first",
    ],
  ],
  [
    "an older version",
    { from: "v1.34.1", to: "v1.33.5", controlPlane: "v1.34.1", usesKubeadm: true },
    [
      "the kubelets go back from v1.34.1 to v1.33.5",
      "not checked: whether there is an image of v1.33.5 for the machines",
    ],
  ],
  [
    "two minor versions at once",
    { from: "v1.32.4", to: "v1.34.1", controlPlane: "v1.34.1", usesKubeadm: true },
    [
      "the kubelets go from v1.32.4 to v1.34.1, over a minor version",
      "not checked: whether there is an image of v1.34.1 for the machines",
    ],
  ],
  [
    "machines that are new, in a cluster whose control plane is not known",
    { from: undefined, to: "v1.99.0", controlPlane: undefined, usesKubeadm: true },
    ["not checked: whether there is an image of v1.99.0 for the machines"],
  ],
  ["no version at all", { from: undefined, to: undefined, controlPlane: "v1.34.1", usesKubeadm: true }, []],
])("what is said about %s", (_, change, expected) => {
  const said = versionFindings(change).map(({ isBlocking, why }) => (isBlocking ? `blocked: ${why}` : why));
  expect(said).toEqual(expected);
});
