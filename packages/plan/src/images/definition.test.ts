import { describe, expect, test } from "vitest";
import { definitionFor, galleryRefusalOf, mismatchOf } from "./definition.ts";

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

describe("before a donor is taken out of service", () => {
  const OWN = { id: "/g", isOwned: true };
  const MACHINE = {
    plan: PLAN,
    properties: {
      instanceView: { hyperVGeneration: "V2" },
      securityProfile: { securityType: "TrustedLaunch" },
    },
  };
  const FITTING = definitionFor({
    ...SNAPSHOT,
    purchasePlan: PLAN,
    securityProfile: { securityType: "TrustedLaunch" },
  });
  const refusalOf = (differences: object, machine: object = MACHINE) =>
    galleryRefusalOf({
      gallery: OWN,
      definition: { id: "/d", properties: { ...FITTING, ...differences } },
      machine: { ...machine },
    });

  test("a gallery that does not exist yet, an own one and a definition that fits are not refused", () => {
    const nothing = { gallery: undefined, definition: undefined, machine: MACHINE };
    expect(galleryRefusalOf(nothing)).toBeUndefined();
    expect(galleryRefusalOf({ ...nothing, gallery: OWN })).toBeUndefined();
    expect(refusalOf({})).toBeUndefined();
  });

  test("a gallery of another owner is refused", () => {
    const gallery = { id: "/g", isOwned: false };
    expect(galleryRefusalOf({ gallery, definition: undefined, machine: MACHINE })).toBe(
      "the gallery /g exists without the tags of this cluster; delete it, or tag it as owned",
    );
  });

  test.each([
    [{ osState: "Specialized" }, "osState Specialized"],
    [{ osType: "Windows" }, "osType Windows"],
    [{ hyperVGeneration: "V1" }, "hyperVGeneration V1"],
    [{ purchasePlan: undefined }, "purchasePlan none"],
    [{ features: [] }, "features.SecurityType Standard"],
  ])("a definition with %j is refused", (differences, why) => {
    expect(refusalOf(differences)).toContain(
      `the image definition /d has properties.${why}, and new machines`,
    );
  });

  test("what the machine does not say is left to its snapshot", () => {
    expect(refusalOf({ architecture: "Arm64" }, {})).toBeUndefined();
    expect(refusalOf({ hyperVGeneration: "V1", features: [], purchasePlan: PLAN }, {})).toBeUndefined();
  });
});
