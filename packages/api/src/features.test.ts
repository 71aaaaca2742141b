import { describe, expect, test } from "vitest";
import { DEFAULT_FEATURES, FeatureGateError, selectFeatures } from "./features.ts";

const on = (flag?: string, variables: Record<string, string> = {}): string[] =>
  Object.entries(selectFeatures(flag, variables).features).flatMap(([name, isOn]) => (isOn ? [name] : []));

describe("feature gates", () => {
  test("are off unless a user switches them on", () => {
    expect(selectFeatures(undefined, {})).toEqual({ features: DEFAULT_FEATURES, warnings: [] });
    expect(on()).toEqual([]);
  });

  test.each<[string, string | undefined, Record<string, string>, string[]]>([
    ["the flag", "InPlaceUpdates=true", {}, ["InPlaceUpdates"]],
    [
      "several gates with spaces",
      " InPlaceUpdates = true , NodePrototyping=1 ",
      {},
      ["InPlaceUpdates", "NodePrototyping"],
    ],
    [
      "the variable with all gates",
      undefined,
      { CAPSTAN_FEATURE_GATES: "InPlaceUpdates=t" },
      ["InPlaceUpdates"],
    ],
    ["the variable of a feature", undefined, { AZURE_NODE_OS_CACHING: "true" }, ["NodePrototyping"]],
    ["an empty variable", undefined, { AZURE_NODE_OS_CACHING: "" }, []],
    ["the flag before the variables", "NodePrototyping=false", { AZURE_NODE_OS_CACHING: "true" }, []],
    [
      "the variable of a feature before the one with all gates",
      undefined,
      { CAPSTAN_FEATURE_GATES: "NodePrototyping=true", AZURE_NODE_OS_CACHING: "False" },
      [],
    ],
  ])("are read from %s", (_, flag, variables, expected) => {
    expect(on(flag, variables)).toEqual(expected);
  });

  test("warn about the older name of a variable, and name the present one", () => {
    const { features, warnings } = selectFeatures(undefined, { AZURE_OS_CACHING: "true" });
    expect(features.NodePrototyping).toBe(true);
    expect(warnings).toEqual(["AZURE_OS_CACHING is an older name; set AZURE_NODE_OS_CACHING instead"]);
  });

  test.each<[string | undefined, Record<string, string>, string]>([
    [
      "InPlaceUpdate=true",
      {},
      '--feature-gates: there is no feature "InPlaceUpdate"; there is: InPlaceUpdates, NodePrototyping',
    ],
    ["InPlaceUpdates", {}, '--feature-gates: InPlaceUpdates is ""; expected true or false'],
    ["InPlaceUpdates=yes", {}, '--feature-gates: InPlaceUpdates is "yes"; expected true or false'],
    [
      "InPlaceUpdates=true=false",
      {},
      '--feature-gates: InPlaceUpdates is "true=false"; expected true or false',
    ],
    [undefined, { AZURE_NODE_OS_CACHING: "on" }, 'AZURE_NODE_OS_CACHING is "on"; expected true or false'],
    [
      undefined,
      { CAPSTAN_FEATURE_GATES: "toString=true" },
      'CAPSTAN_FEATURE_GATES: there is no feature "toString"; there is: InPlaceUpdates, NodePrototyping',
    ],
  ])("refuse %j with %j in one sentence", (flag, variables, message) => {
    expect(() => selectFeatures(flag, variables)).toThrow(new FeatureGateError(message));
  });
});
