import { createRng } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { FAULT_CATALOGUE, FAULT_IDS } from "../scenario/fault-catalogue.ts";
import type { Call } from "../world/call.ts";
import { EFFECTS, Faults } from "./faults.ts";
import { ArmedTrigger, type Trigger } from "./trigger.ts";

const call = (change: Partial<Call> = {}): Call => ({
  process: "manager-1",
  by: "azuremachinepool",
  server: "azure",
  api: "arm",
  verb: "PUT",
  resource: "virtualMachineScaleSets",
  name: "pool",
  isWrite: true,
  ...change,
});

describe("the catalogue of faults", () => {
  test("has an effect for each name, and no other", () => {
    expect(Object.keys(EFFECTS).toSorted()).toEqual([...FAULT_IDS].toSorted());
  });

  test.each(FAULT_IDS)("%s hits what the catalogue says", (id) => {
    const { strikes } = FAULT_CATALOGUE[id];
    const on = strikes === "moments" ? "moment" : strikes === "watch events" ? "line" : "call";
    expect(EFFECTS[id]?.on).toBe(on);
  });
});

describe("a trigger", () => {
  const hits = (trigger: Trigger, calls: readonly Call[]): number[] => {
    const armed = new ArmedTrigger(trigger, createRng("1", "trigger"));
    return calls.flatMap((one, index) => (armed.pull(one) ? [index + 1] : []));
  };
  const puts = Array.from({ length: 6 }, () => call());

  test.each<[string, Trigger, readonly Call[], number[]]>([
    ["counts from 1", { nth: 2 }, puts, [2]],
    ["hits all by default", {}, puts.slice(0, 3), [1, 2, 3]],
    ["stops after so many", { times: 2 }, puts, [1, 2]],
    ["counts only what fits", { nth: 2, verb: "PUT" }, [call(), call({ verb: "GET" }), call()], [3]],
    ["knows all writes by one word", { verb: "write" }, [call({ isWrite: false }), call()], [2]],
    ["knows all reads by one word", { verb: "read" }, [call({ isWrite: false }), call()], [1]],
    ["takes resources in any case", { resource: "VIRTUALMACHINESCALESETS" }, [call()], [1]],
    ["never matches by prefix", { resource: "virtualMachine" }, [call()], []],
    ["knows controllers", { by: "azuremachinepool" }, [call({ by: "proof" }), call()], [2]],
    ["knows processes", { by: "manager-2" }, [call(), call({ process: "manager-2" })], [2]],
  ])("%s", (_, trigger, calls, expected) => {
    expect(hits(trigger, calls)).toEqual(expected);
  });

  test("with a probability hits about its share, the same calls with the same seed", () => {
    const many = Array.from({ length: 2000 }, () => call());
    const hit = hits({ probability: 0.2 }, many);
    expect(hit.length).toBeGreaterThan(320);
    expect(hit.length).toBeLessThan(480);
    expect(hits({ probability: 0.2 }, many)).toEqual(hit);
  });
});

describe("the faults of a run", () => {
  test("do not touch calls that their triggers do not match", () => {
    const faults = new Faults("1");
    const effect = EFFECTS["kube-conflict"];
    if (effect?.on !== "call") throw new TypeError("kube-conflict strikes calls");
    faults.add("kube-conflict", effect, {});
    expect(faults.onCall(call())).toBeUndefined();
    const patch = call({ api: "kube", server: "management", verb: "patch", resource: "machines" });
    expect(faults.onCall(patch)).toMatchObject({ fault: "kube-conflict", effect: { status: 409 } });
    expect(faults.onCall({ ...patch, resource: "leases" })).toBeUndefined();
    faults.remove("kube-conflict");
    expect(faults.onCall(patch)).toBeUndefined();
  });
});
