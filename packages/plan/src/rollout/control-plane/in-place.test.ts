import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planControlPlane } from "./plan.ts";
import { machine, planText, view } from "./plan.fixture.ts";
import type {
  ControlPlaneMachine,
  ControlPlaneView,
  Health,
  MachineUpdateVerdict,
  ControlPlaneUpdateView,
} from "./view.ts";

const outdated = { outdated: ["version v1.33.5 is not v1.34.1"] };
const old = ["m1", "m2", "m3"].map((name) => machine(name, outdated));
const [m1 = machine("m1"), m2 = machine("m2"), m3 = machine("m3")] = old;
const broken = { parts: [{ part: "NodeReady", health: "unhealthy" as Health, why: "Node is not Ready" }] };

const covered: MachineUpdateVerdict = {
  result: "Covered",
  updaters: ["upgrader"],
  paths: ["machine.spec.version"],
  why: "upgrader changes machine.spec.version",
};
const uncovered: MachineUpdateVerdict = {
  result: "Uncovered",
  why: "no updater changes infraMachine.spec.vmSize",
};

/** A control plane that is updated in place, with the same verdict about each machine. */
function inPlace(
  machines: readonly ControlPlaneMachine[],
  verdict: MachineUpdateVerdict | undefined,
  {
    leader = "3",
    replicas = machines.length,
    ...changes
  }: Partial<ControlPlaneUpdateView> & { leader?: string; replicas?: number } = {},
): ControlPlaneView {
  const verdicts = new Map(verdict ? machines.map(({ name }) => [name, verdict]) : []);
  const given = view(machines, {
    replicas,
    inPlace: { key: "now", isDisabled: false, verdicts, ...changes },
  });
  return { ...given, etcd: { ...given.etcd, leader } as ControlPlaneView["etcd"] };
}

function updating(state: "begun" | "running" | "failed", key = "now"): ControlPlaneMachine {
  return machine("m2", { update: { state, key }, outdated: state === "running" ? [] : outdated.outdated });
}

const even = [machine("m1", outdated), machine("m2")];

describe("a control plane that is updated in place", () => {
  test.each<[string, ControlPlaneView, readonly string[]]>([
    ["updates its oldest outdated machine", inPlace(old, covered), ["UpdateMachineInPlace m1"]],
    [
      "updates its first machine before an approval",
      inPlace(old, covered, { approval: { approved: undefined } }),
      ["UpdateMachineInPlace m1"],
    ],
    [
      "waits for an approval after its first machine",
      inPlace([machine("m1"), m2, m3], covered, { approval: { approved: "before" } }),
      ["WaitingForApproval m2"],
    ],
    [
      "completes an update that has begun without an approval",
      inPlace([machine("m1"), updating("begun"), m3], covered, { approval: { approved: undefined } }),
      ["UpdateMachineInPlace m2"],
    ],
    [
      "updates the others after an approval",
      inPlace([machine("m1"), m2, m3], covered, { approval: { approved: "now" } }),
      ["UpdateMachineInPlace m2"],
    ],
    [
      "moves the leadership of etcd off the machine first",
      inPlace(old, covered, { leader: "1" }),
      ["MoveEtcdLeader m3"],
    ],
    [
      "updates its only machine although it leads",
      inPlace([m1], covered, { leader: "1" }),
      ["UpdateMachineInPlace m1"],
    ],
    [
      "does not update one of three machines while etcd does not answer",
      { ...inPlace(old, covered), etcd: { state: "unknown", why: "no answer" } },
      ["EtcdUnknown m1"],
    ],
    [
      "does not update its only machine while it is not healthy",
      inPlace([{ ...m1, ...broken }], covered, { leader: "1" }),
      ["PreflightCheckFailed cp"],
    ],
    [
      "updates an unhealthy machine first",
      inPlace([m1, { ...m2, ...broken }, m3], covered),
      ["UpdateMachineInPlace m2"],
    ],
    [
      "does not update a machine while another one is not healthy",
      inPlace([m1, machine("m2", broken), m3], covered),
      ["PreflightCheckFailed cp"],
    ],
    [
      "deletes an outdated machine that is more than desired, instead of updating it",
      inPlace([...old, machine("m4", outdated)], covered, { replicas: 3, leader: "4" }),
      ["DeleteMachine m1"],
    ],
    ["does not update one of two members", inPlace(even, covered, { leader: "2" }), ["QuorumAtRisk m1"]],
    ["waits for the machine that is updated", inPlace([m1, updating("running"), m3], covered), ["Wait m2"]],
    [
      "continues an update whose first write was the last before a crash",
      inPlace([m1, updating("begun"), m3], covered),
      ["UpdateMachineInPlace m2"],
    ],
    [
      "stops at a machine whose update failed",
      inPlace([m1, updating("failed"), m3], covered),
      ["UpdateFailed m2"],
    ],
    [
      "updates a failed machine to a newer desired state",
      inPlace([m1, updating("failed", "before"), m3], covered),
      ["UpdateMachineInPlace m2"],
    ],
    ["replaces nothing without a fallback", inPlace(old, uncovered), ["ChangesNotCovered m1"]],
    [
      "scales up although no updater makes the changes",
      inPlace(old, uncovered, { replicas: 5 }),
      ["CreateMachine cp", "ChangesNotCovered m1"],
    ],
    [
      "replaces machines with a fallback that surges",
      inPlace(old, uncovered, { fallbackSurge: 1 }),
      ["CreateMachine cp"],
    ],
    [
      "replaces machines with a fallback that does not surge",
      inPlace(old, uncovered, { fallbackSurge: 0 }),
      ["DeleteMachine m1"],
    ],
    [
      "does not replace a machine because an updater does not answer",
      inPlace(old, { result: "Unknown", why: "no answer" }, { fallbackSurge: 1 }),
      ["UpdatersNotAnswering m1"],
    ],
    ["waits until the updaters were asked", inPlace(old, undefined), ["UpdatersNotAnswering m1"]],
    [
      "names the gate that is off",
      inPlace(old, covered, { isDisabled: true }),
      ["InPlaceUpdatesDisabled m1"],
    ],
    [
      "does not remove the member of a deleted machine while another one is updated",
      inPlace(
        [machine("m1", { deletingSinceMs: 1, waitsForRelease: true }), updating("running"), m3],
        covered,
      ),
      ["Wait m1"],
    ],
    [
      "does not replace an unhealthy machine while another one is updated",
      inPlace([machine("m1", { remediation: "Unhealthy" }), updating("running"), m3], covered),
      ["RemediationDeferred m1"],
    ],
    [
      "replaces a failed machine that a health check has marked",
      inPlace([m1, { ...updating("failed"), remediation: "Unhealthy" }, m3], covered),
      ["Remediate m2"],
    ],
  ])("%s", (_, given, planned) => {
    expect(planText(given)).toEqual(planned);
  });
});

test("while updaters work on a machine, no machine is created, deleted or updated", () => {
  const other = fc.record({
    outdated: fc.constantFrom<readonly string[]>([], outdated.outdated),
    parts: fc.constantFrom(machine("m1").parts, broken.parts),
  });
  const situation = fc.record({
    others: fc.array(other, { maxLength: 4 }),
    own: other,
    replicas: fc.constantFrom(1, 3, 5),
    verdict: fc.constantFrom(covered, uncovered, undefined),
    fallbackSurge: fc.constantFrom<(0 | 1)[]>(0, 1),
    hasFallback: fc.boolean(),
    key: fc.constantFrom("now", "before"),
  });
  fc.assert(
    fc.property(situation, ({ others, own, replicas, verdict, fallbackSurge, hasFallback, key }) => {
      const machines = [
        machine("m0", { ...own, update: { state: "running", key } }),
        ...others.map((changes, at) => machine(`m${at + 1}`, changes)),
      ];
      const changes = { replicas, ...(hasFallback && { fallbackSurge }) };
      const { actions } = planControlPlane(inPlace(machines, verdict, changes));
      expect(actions).toMatchObject([{ action: "Wait", targets: ["m0"], detail: { for: "Update" } }]);
    }),
  );
});
