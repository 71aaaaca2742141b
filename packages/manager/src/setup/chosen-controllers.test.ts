import { DEFAULT_FEATURES } from "@capstan/api";
import { expect, test } from "vitest";
import {
  chosenControllers,
  featuresWithoutEffect,
  kindsOf,
  unknownControllers,
} from "./chosen-controllers.ts";
import { CONTROLLERS } from "./controllers.ts";

const namesOf = (names?: readonly string[]): readonly string[] =>
  chosenControllers(names).map(({ name }) => name);

test("all controllers are chosen unless names are given", () => {
  expect(chosenControllers(undefined)).toBe(CONTROLLERS);
});

test("azure stands for the controllers of infrastructure that need no other controller of ours", () => {
  const azure = namesOf(["azure"]);
  expect(azure).toContain("azuremachinepoolmachine");
  expect(azure).toContain("nodeprototype");
  expect(azure.filter((name) => !/^(azure|nodeprototype)/.test(name))).toEqual([]);
  expect(azure).not.toContain("templateprototype");
});

test("a group and single names add up", () => {
  expect(namesOf(["azure", "cluster"])).toHaveLength(namesOf(["azure"]).length + 1);
  expect(unknownControllers(["azure", "cluster", "azur", "toString"])).toEqual(["azur", "toString"]);
});

test("kinds without a controller come with the controllers of their group", () => {
  const kinds = (...names: string[]) => kindsOf(chosenControllers(names)).map(({ kind }) => kind);
  expect(kinds("kubeadmconfig")).toEqual(["KubeadmConfig", "KubeadmConfigTemplate"]);
  expect(kinds("cluster")).toEqual(["Cluster", "MachineDrainRule"]);
  expect(kinds("azurecluster", "azureclusteridentity")).not.toContain("AzureMachine");
});

test("a feature has no effect when none of its controllers runs", () => {
  const on = { ...DEFAULT_FEATURES, InPlaceUpdates: true, NodePrototyping: true };
  expect([...featuresWithoutEffect(on, chosenControllers(["azure"])).keys()]).toEqual(["InPlaceUpdates"]);
  expect([...featuresWithoutEffect(on, CONTROLLERS).keys()]).toEqual([]);
  expect([...featuresWithoutEffect(DEFAULT_FEATURES, []).keys()]).toEqual([]);
});
