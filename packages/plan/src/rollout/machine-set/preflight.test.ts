import { expect, test } from "vitest";
import { failedPreflight, type PreflightView } from "./preflight.ts";

const VIEW: PreflightView = {
  version: "v1.33.2",
  usesKubeadm: true,
  controlPlane: { desired: "v1.33.2", actual: "v1.33.2" },
  skipped: [],
};
const plane = (desired: string, actual?: string) => ({ controlPlane: { desired, actual } });

test.each<[string, Partial<PreflightView>, readonly string[]]>([
  ["equal versions pass", {}, []],
  ["a patch version does not matter", { version: "v1.33.9" }, []],
  ["a control plane without versions passes", { controlPlane: undefined }, []],
  ["machines without a version pass", { version: undefined }, []],
  ["a control plane that is created", plane("v1.33.2"), ["the control plane is being created"]],
  [
    "a control plane that is upgraded",
    plane("v1.34.0", "v1.33.2"),
    ["being upgraded from v1.33.2 to v1.34.0", "the minor versions differ"],
  ],
  [
    "newer machines",
    { version: "v1.34.0", usesKubeadm: false },
    ["newer than the control plane, which has v1.33.2"],
  ],
  ["machines three minor versions older", { version: "v1.30.0", usesKubeadm: false }, []],
  ["machines four minor versions older", { version: "v1.29.0", usesKubeadm: false }, ["more than 3 minor"]],
  ["kubeadm of another minor version", { version: "v1.32.0" }, ["kubeadm of v1.32.0 cannot join"]],
  ["a check that is switched off", { version: "v1.32.0", skipped: ["KubeadmVersionSkew"] }, []],
  ["all checks switched off", { ...plane("v1.34.0"), skipped: ["All"] }, []],
])("%s", (_name, differences, expected) => {
  const failed = failedPreflight({ ...VIEW, ...differences });
  expect(failed).toHaveLength(expected.length);
  for (const [at, text] of expected.entries()) expect(failed[at]).toContain(text);
});
