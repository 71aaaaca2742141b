import { expect, test } from "vitest";
import { cloudNamed } from "./cloud.ts";

test.each([
  [undefined, "https://management.azure.com"],
  ["AzurePublicCloud", "https://management.azure.com"],
  ["AzureUSGovernmentCloud", "https://management.usgovcloudapi.net"],
  ["AzureChinaCloud", "https://management.chinacloudapi.cn"],
])("the cloud %s is at %s", (name, resourceManager) => {
  expect(cloudNamed(name).resourceManager).toBe(resourceManager);
});

test("an unknown cloud is refused with a list of the known ones", () => {
  expect(() => cloudNamed("AzureGermanCloud")).toThrow(
    '"AzureGermanCloud" is not an Azure cloud; use one of AzurePublicCloud, AzureUSGovernmentCloud, AzureChinaCloud',
  );
});
