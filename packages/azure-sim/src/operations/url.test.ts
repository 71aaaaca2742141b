import { describe, expect, test } from "vitest";
import type { Operation } from "./operation.ts";
import { OperationUrls, type UrlVerdict } from "./url.ts";

const operationOf = (id: string): Operation => ({
  id,
  apiVersion: "1",
  subscription: "s",
  provider: "Microsoft.Compute",
  location: "westus2",
  name: "PUT virtualMachineScaleSets",
  resourceId: "/pool",
  status: "InProgress",
  startMs: 5,
});
const ORIGIN = "https://azure.invalid";

function queryOf(urls: OperationUrls, operation: Operation): URLSearchParams {
  return new URL(urls.urlOf(operation, ORIGIN, "status")).searchParams;
}

/** Checks an address after one of its parameters was changed. */
function verdictOn(urls: OperationUrls, name: string, change: (value: string) => string): UrlVerdict {
  const query = queryOf(urls, operationOf("a"));
  query.set(name, change(query.get(name) ?? ""));
  return urls.check("a", query);
}

describe("the address of an operation", () => {
  test("is valid for the cloud that created it, also after a restart, and for no other", () => {
    const urls = new OperationUrls("seed");
    const query = queryOf(urls, operationOf("a"));
    const asked = [urls, urls, new OperationUrls("seed"), new OperationUrls("another")];
    expect(asked.map((one) => one.check("a", query))).toEqual(["ours", "ours", "ours", "foreign"]);
    expect(urls.check("A", query)).toBe("ours");
  });

  test("is valid for one operation only", () => {
    const urls = new OperationUrls("seed");
    const [first, second] = [queryOf(urls, operationOf("a")), queryOf(urls, operationOf("b"))];
    expect([urls.check("b", first), urls.check("a", second)]).toEqual(["foreign", "foreign"]);
    expect([urls.check("a", first), urls.check("b", second)]).toEqual(["ours", "ours"]);
  });

  test.each(["c", "s", "h", "t"])(
    "is foreign when its parameter %s was changed, and cut without it",
    (name) => {
      const urls = new OperationUrls("seed");
      expect(verdictOn(urls, name, (value) => value)).toBe("ours");
      expect(verdictOn(urls, name, (value) => `${value}1`)).toBe("foreign");
      expect(verdictOn(urls, name, () => "")).toBe("cut");
    },
  );

  test("stays valid after polls of many other operations", () => {
    const urls = new OperationUrls("seed");
    const query = queryOf(urls, operationOf("a"));
    for (let index = 0; index < 2500; index++) urls.urlOf(operationOf(`o${index}`), ORIGIN, "result");
    expect(urls.check("a", query)).toBe("ours");
  });
});
