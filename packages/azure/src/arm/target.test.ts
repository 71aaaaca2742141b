import { describe, expect, test } from "vitest";
import { apiVersionOf } from "./api-versions.ts";
import { targetOf, type Verb } from "./target.ts";

const S = "/subscriptions/s";
const C = `${S}/resourceGroups/RG/providers/Microsoft.Compute`;

describe("a target", () => {
  test.each<[Verb, string, string, string]>([
    ["PUT", `${S}/resourceGroups/rg`, "PUT resourceGroups", `${S}/resourcegroups/rg`],
    ["LIST", `${S}/resourceGroups`, "LIST resourceGroups", `${S}/resourcegroups`],
    ["GET", `${C}/virtualMachineScaleSets/v`, "GET virtualMachineScaleSets", "v"],
    [
      "LIST",
      `${C}/virtualMachineScaleSets/v/virtualMachines`,
      "LIST virtualMachineScaleSets/virtualMachines",
      "v",
    ],
    ["POST", `${C}/virtualMachineScaleSets/v/reimage`, "POST virtualMachineScaleSets/reimage", "v"],
    [
      "GET",
      `${C}/virtualMachineScaleSets/v/virtualMachines/3`,
      "GET virtualMachineScaleSets/virtualMachines",
      "v",
    ],
    ["POLL", `${S}/providers/Microsoft.Compute/locations/westus/operations/1`, "POLL Microsoft.Compute", "1"],
    ["POLL", `${S}/operationresults/1`, "POLL Microsoft.Resources", `${S}/operationresults/1`],
  ])("%s %s is called %s", (verb, path, operation, resource) => {
    const target = targetOf(verb, path);
    expect(target.operation).toBe(operation);
    expect(target.resource.endsWith(resource)).toBe(true);
  });

  test("knows the region of an operation", () => {
    const path = `${S}/providers/Microsoft.Compute/locations/WestUS/operations/1`;
    expect(targetOf("POLL", path).location).toBe("westus");
  });

  test.each([
    "",
    "subscriptions/s",
    "/subscriptions",
    "/x/y",
    `${S}//a`,
    `${S}/../x`,
    `${S}/a?b`,
    `${S}/%2e`,
    `${S}/a b`,
  ])("is refused when the path is %j", (path) => {
    expect(() => targetOf("GET", path)).toThrowError(/is not the path of a resource/);
  });
});

describe("the api-version", () => {
  test.each([
    [`${S}/resourceGroups/rg`, "2021-04-01"],
    [`${C}/virtualMachineScaleSets/v`, "2024-07-01"],
    [`${C}/virtualMachineScaleSets/v/virtualMachines/1/networkInterfaces`, "2024-05-01"],
    [`${C}/galleries/g/images/i/versions/1.0.0`, "2024-03-03"],
    [`${S}/resourceGroups/rg/providers/Microsoft.Network/loadBalancers/lb`, "2024-05-01"],
    [`${S}/resourceGroups/rg/providers/Contoso.Odd/things/t`, undefined],
  ])("of %s is %s", (path, version) => {
    expect(apiVersionOf(targetOf("GET", path))).toBe(version);
  });
});
