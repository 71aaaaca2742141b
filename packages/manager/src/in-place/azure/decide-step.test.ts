import type { VirtualMachine } from "@capstan/azure";
import { expect, test } from "vitest";
import { decideStep, type ObservedUpdate } from "./decide-step.ts";
import { machine, machineError } from "./machine.fixture.ts";

const FROM = "capstan_resized-from";
const REFUSED = "capstan_resize-refused";
const TEAM = { team: "blue" };
const SMALL = "Standard_D2s_v3";
const LARGE = "Standard_D8s_v3";
const OTHER = "Standard_D4ds_v5";
const FULL = { provisioningState: "Failed", error: machineError("AllocationFailed", "Capacity") } as const;
const WORDS = "AllocationFailed: the words of Azure";

interface Case extends Partial<Omit<ObservedUpdate, "machine" | "desired">> {
  readonly vm?: Partial<VirtualMachine>;
  readonly size?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly attempt?: string;
}

function step({ vm = {}, size = LARGE, tags = {}, attempt = "a", ...rest }: Case): object {
  const { why, ...decided } = decideStep({
    machine: machine(vm),
    desired: { size, tags, attempt },
    node: { bootID: "boot-1", isReady: true },
    sizesHere: new Set([SMALL, LARGE].map((name) => name.toLowerCase())),
    ...rest,
  });
  expect(why).not.toBe("");
  return decided;
}

const resized = (vm: Partial<VirtualMachine> = {}): Partial<VirtualMachine> => ({
  size: LARGE,
  tags: { ...TEAM, [FROM]: `${SMALL} boot-0` },
  ...vm,
});
const refused = (vm: Partial<VirtualMachine> = {}): Partial<VirtualMachine> => ({
  tags: { ...TEAM, [REFUSED]: `${LARGE} a ${WORDS}` },
  ...vm,
});

const TABLE: Readonly<Record<string, readonly [Case, object]>> = {
  "a size of the same hardware is written, with the size before and the boot of the Node": [
    {},
    { do: "patch", size: LARGE, tags: { ...TEAM, [FROM]: `${SMALL} boot-1` } },
  ],
  "a size of other hardware needs a deallocated machine": [{ size: OTHER }, { do: "deallocate" }],
  "a machine that is shut down still occupies its hardware": [
    { size: OTHER, vm: { powerState: "stopped" } },
    { do: "deallocate" },
  ],
  "a deallocated machine takes any size": [
    { size: OTHER, vm: { powerState: "deallocated" } },
    { do: "patch", size: OTHER, tags: { ...TEAM, [FROM]: `${SMALL} boot-1` } },
  ],
  "a second change keeps the size that is known to work": [
    { size: OTHER, vm: { powerState: "deallocated", tags: { [FROM]: "Standard_A boot-0" } } },
    { do: "patch", size: OTHER, tags: { [FROM]: "Standard_A boot-0" } },
  ],
  "a machine with the size is started": [{ vm: resized({ powerState: "deallocated" }) }, { do: "start" }],
  "a start that failed for another reason is repeated": [
    {
      vm: resized({
        powerState: "deallocated",
        provisioningState: "Failed",
        error: machineError("InternalExecutionError", "Transient"),
      }),
    },
    { do: "start" },
  ],
  "an operation is waited for": [{ vm: { provisioningState: "Updating" } }, { do: "wait" }],
  "a machine that stops is waited for": [{ vm: { powerState: "deallocating" } }, { do: "wait" }],
  "a Node that has not reported the restart is waited for": [
    { vm: resized(), node: { bootID: "boot-0", isReady: true } },
    { do: "wait" },
  ],
  "a Node that is not Ready is waited for": [
    { vm: resized(), node: { bootID: "boot-1", isReady: false } },
    { do: "wait" },
  ],
  "what was remembered goes in the end, and the tags of the template come": [
    { vm: resized(), tags: { cost: "low" } },
    { do: "patch", tags: { ...TEAM, cost: "low" } },
  ],
  "a machine as it should be is done": [{ vm: { size: "standard_d8S_V3" } }, { do: "finish" }],
  "tags alone need no restart": [
    { size: SMALL, tags: { team: "red" } },
    { do: "patch", tags: { team: "red" } },
  ],
  "a start without capacity leads back to the size before": [
    { vm: resized({ powerState: "deallocated", ...FULL }) },
    { do: "patch", size: SMALL, tags: { ...TEAM, [REFUSED]: `${LARGE} a ${WORDS}` } },
  ],
  "a start that Azure refuses at once leads back too": [
    { vm: resized({ powerState: "deallocated" }), refused: "SkuNotAvailable: no" },
    { do: "patch", size: SMALL, tags: { ...TEAM, [REFUSED]: `${LARGE} a SkuNotAvailable: no` } },
  ],
  "a running machine that found no room is left in its size": [
    { vm: { tags: { ...TEAM, [FROM]: SMALL }, ...FULL } },
    { do: "patch", tags: { ...TEAM, [REFUSED]: `${LARGE} a ${WORDS}` } },
  ],
  "a size that Azure refuses for a deallocated machine is remembered": [
    { size: OTHER, vm: { powerState: "deallocated" }, refused: "OperationNotAllowed: quota" },
    { do: "patch", tags: { ...TEAM, [REFUSED]: `${OTHER} a OperationNotAllowed: quota` } },
  ],
  "a machine that is back in its size is started": [
    { vm: refused({ powerState: "deallocated" }) },
    { do: "start" },
  ],
  "the start in the old size is repeated, too": [
    { vm: refused({ powerState: "deallocated", ...FULL }) },
    { do: "start" },
  ],
  "a refused size is not tried again": [{ vm: refused() }, { do: "fail" }],
  "a user who asks again gets another attempt": [
    { vm: refused(), attempt: "b" },
    { do: "patch", size: LARGE, tags: { ...TEAM, [FROM]: `${SMALL} boot-1` } },
  ],
  "another size is another attempt": [{ vm: refused(), size: OTHER }, { do: "deallocate" }],
  "the size before is not an attempt": [
    { vm: refused(), size: SMALL },
    { do: "patch", tags: TEAM },
  ],
  "a failure from before the update is not about the size": [
    { vm: FULL },
    { do: "patch", size: LARGE, tags: { ...TEAM, [FROM]: `${SMALL} boot-1` } },
  ],
};

test.each(Object.entries(TABLE))("%s", (_name, [observed, expected]) => {
  expect(step(observed)).toEqual(expected);
});

test("a refused size fails in the words of Azure, which a tag can hold", () => {
  expect(
    decideStep({
      machine: machine(refused()),
      desired: { size: LARGE, tags: {}, attempt: "a" },
      node: { bootID: "", isReady: true },
      sizesHere: new Set(),
    }).why,
  ).toBe(`vm stays ${SMALL}: Azure refused ${LARGE}: ${WORDS}`);
  const long = step({ vm: resized({ powerState: "deallocated" }), refused: "x".repeat(1000) });
  expect("tags" in long && (long.tags as Record<string, string>)[REFUSED]).toHaveLength(256);
});
