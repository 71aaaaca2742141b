import { expect, test } from "vitest";
import { versionFindings } from "./version-change.ts";

test.each<[string, Parameters<typeof versionFindings>[0], string[]]>([
  [
    "the same version",
    { from: "v1.34.1", to: "v1.34.1", controlPlane: "v1.34.1", usesKubeadm: true, hasPreflight: false },
    [],
  ],
  [
    "the version of the control plane",
    { from: "v1.33.5", to: "v1.34.1", controlPlane: "v1.34.1", usesKubeadm: true, hasPreflight: false },
    ["not checked: whether there is an image of v1.34.1 for the machines"],
  ],
  [
    "the next minor version of the control plane's, which kubeadm joins",
    { from: "v1.35.0", to: "v1.35.0", controlPlane: "v1.34.1", usesKubeadm: true, hasPreflight: false },
    [
      "machines of v1.35.0 are newer than the control plane, which has v1.34.1: Kubernetes does not support that; upgrade the control plane first",
    ],
  ],
  [
    "one after that, which kubeadm refuses",
    { from: "v1.35.0", to: "v1.35.0", controlPlane: "v1.33.5", usesKubeadm: true, hasPreflight: false },
    [
      "blocked: machines of v1.35.0 are newer than the control plane, which has v1.33.5: kubeadm does not let them join; upgrade the control plane first",
    ],
  ],
  [
    "a newer one that a preflight check holds",
    { from: "v1.35.0", to: "v1.35.0", controlPlane: "v1.34.1", usesKubeadm: false, hasPreflight: true },
    [
      "blocked: machines of v1.35.0 are newer than the control plane, which has v1.34.1: a preflight check holds them; upgrade the control plane first",
    ],
  ],
  [
    "an older version",
    { from: "v1.34.1", to: "v1.33.5", controlPlane: "v1.34.1", usesKubeadm: true, hasPreflight: false },
    [
      "the kubelets go back from v1.34.1 to v1.33.5",
      "not checked: whether there is an image of v1.33.5 for the machines",
    ],
  ],
  [
    "two minor versions at once",
    { from: "v1.32.4", to: "v1.34.1", controlPlane: "v1.34.1", usesKubeadm: true, hasPreflight: false },
    [
      "the kubelets go from v1.32.4 to v1.34.1, over a minor version",
      "not checked: whether there is an image of v1.34.1 for the machines",
    ],
  ],
  [
    "machines that are new, in a cluster whose control plane is not known",
    { from: undefined, to: "v1.99.0", controlPlane: undefined, usesKubeadm: true, hasPreflight: false },
    ["not checked: whether there is an image of v1.99.0 for the machines"],
  ],
  [
    "no version at all",
    { from: undefined, to: undefined, controlPlane: "v1.34.1", usesKubeadm: true, hasPreflight: false },
    [],
  ],
])("what is said about %s", (_, change, expected) => {
  const said = versionFindings(change).map(({ isBlocking, why }) => (isBlocking ? `blocked: ${why}` : why));
  expect(said).toEqual(expected);
});
