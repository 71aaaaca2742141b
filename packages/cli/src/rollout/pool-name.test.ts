import { describe, expect, test } from "vitest";
import { poolNamed } from "./pool-name.ts";

const UNWRITTEN = { namespace: "default", isWritten: false };

describe("the name of a pool on the command line", () => {
  test.each([
    ["workers", { name: "workers", namespace: "default" }],
    ["east/workers", { name: "workers", namespace: "east" }],
    ["amp/workers", { name: "amp/workers", namespace: "default" }],
    ["MachinePool/workers", { name: "MachinePool/workers", namespace: "default" }],
    ["east/mp/workers", { name: "east/mp/workers", namespace: "default" }],
    ["/workers", { name: "/workers", namespace: "default" }],
  ])("%s is split into namespace and name, or kept as it is where it is invalid", (given, name) => {
    expect(poolNamed(given, UNWRITTEN)).toEqual(name);
  });

  test("may repeat the namespace of -n, and name no other", () => {
    const flag = { namespace: "east", isWritten: true };
    expect(poolNamed("east/workers", flag)).toEqual({ name: "workers", namespace: "east" });
    expect(() => poolNamed("west/workers", flag)).toThrow(
      '"west/workers" is in namespace west, but -n says east; leave one of them out',
    );
  });
});
