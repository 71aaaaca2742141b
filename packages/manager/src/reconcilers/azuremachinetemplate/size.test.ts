import { expect, test } from "vitest";
import { sizeStatus } from "./size.ts";

test.each([
  ["whole gigabytes are Gi", { vCPUs: "4", MemoryGB: "16" }, { cpu: "4", memory: "16Gi" }],
  ["fractions are Mi, rounded down", { vCPUs: "1", MemoryGB: "0.75" }, { cpu: "1", memory: "768Mi" }],
  ["1.75 GB are 1792 Mi", { vCPUs: "1", MemoryGB: "1.75" }, { cpu: "1", memory: "1792Mi" }],
  ["without memory nothing is reported", { vCPUs: "1" }, undefined],
  ["a text is not a number", { vCPUs: "many", MemoryGB: "8" }, undefined],
])("%s", (_name, capabilities, capacity) => {
  expect(sizeStatus(new Map(Object.entries(capabilities)), undefined)?.capacity).toEqual(capacity);
});

test.each([
  ["x64", "Linux", { architecture: "amd64", operatingSystem: "linux" }],
  ["Arm64", undefined, { architecture: "arm64", operatingSystem: "linux" }],
  ["Itanium", "Windows", { operatingSystem: "windows" }],
])("Azure's %s with %s is a Node with %o", (processor, osType, nodeInfo) => {
  const size = { vCPUs: "2", MemoryGB: "8", CpuArchitectureType: processor };
  expect(sizeStatus(new Map(Object.entries(size)), osType)?.nodeInfo).toEqual(nodeInfo);
});
