import { describe, expect, test } from "vitest";
import { definitionFor, mismatchOf } from "./definition.ts";

const SNAPSHOT = { hyperVGeneration: "V2" };
const PLAN = { name: "n", publisher: "p", product: "q" };

test("a definition for a snapshot says what cannot be changed later", () => {
  expect(
    definitionFor({
      ...SNAPSHOT,
      purchasePlan: PLAN,
      supportedCapabilities: { architecture: "Arm64" },
      securityProfile: { securityType: "TrustedLaunch" },
    }),
  ).toEqual({
    osType: "Linux",
    osState: "Generalized",
    hyperVGeneration: "V2",
    architecture: "Arm64",
    purchasePlan: PLAN,
    features: [{ name: "SecurityType", value: "TrustedLaunch" }],
  });
});

describe("an existing definition", () => {
  test("fits the snapshot that it was made for", () => {
    const definition = definitionFor(SNAPSHOT);
    expect(mismatchOf(definition, definition)).toBeUndefined();
  });

  test.each([
    ["that names the default architecture", { architecture: "x64" }],
    ["without features", { features: undefined }],
    [
      "that supports trusted launch",
      { features: [{ name: "SecurityType", value: "TrustedLaunchSupported" }] },
    ],
    ["with other features", { features: [{ name: "IsAcceleratedNetworkSupported", value: "True" }] }],
  ])("%s fits", (_, differences) => {
    const needed = definitionFor(SNAPSHOT);
    expect(mismatchOf({ ...needed, ...differences }, needed)).toBeUndefined();
  });

  test.each([
    [{ osState: "Specialized" }, "properties.osState Specialized, and new machines need Generalized;"],
    [{ osType: "Windows" }, "properties.osType Windows, and new machines need Linux;"],
    [{ hyperVGeneration: undefined }, "properties.hyperVGeneration V1, and new machines need V2;"],
    [{ architecture: "Arm64" }, "properties.architecture Arm64, and new machines need x64;"],
    [{ purchasePlan: PLAN }, 'properties.purchasePlan {"name":"n",'],
    [
      { features: [{ name: "SecurityType", value: "ConfidentialVM" }] },
      "properties.features.SecurityType ConfidentialVM, and new machines need Standard;",
    ],
  ])("with %j does not fit, and says why and what to do", (differences, why) => {
    const needed = definitionFor(SNAPSHOT);
    const mismatch = mismatchOf({ ...needed, ...differences }, needed);
    expect(mismatch).toContain(why);
    expect(mismatch).toContain("delete the definition");
  });
});
