import { expect, test } from "vitest";
import { proxyFor } from "./connect.ts";

const PROXY = "http://proxy:3128";

test.each<[string, readonly string[], string | undefined]>([
  ["https://management.azure.com", [], PROXY],
  ["http://169.254.169.254", [], undefined],
  ["https://management.azure.com", ["management.azure.com"], undefined],
  ["https://management.azure.com", [" .azure.com "], undefined],
  ["https://management.azure.com", ["*.Azure.com"], undefined],
  ["https://management.azure.com", ["*"], undefined],
  ["https://management.azure.com", ["zure.com", "", "."], PROXY],
  ["https://127.0.0.1:8443", ["127.0.0.1"], undefined],
])("%s with NO_PROXY %j goes through %s", (origin, noProxy, expected) => {
  expect(proxyFor(origin, { proxyUrl: PROXY, noProxy })).toBe(expected);
});
