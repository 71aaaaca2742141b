import { Machine } from "@capstan/api";
import { again, createClient, Failure, type Outcome, type Reconciler } from "@capstan/runtime";
import type { FaultSpec, ManagerConnections } from "@capstan/sim";
import { proofController, type ProofScope, type Ways } from "./proof-controller.ts";

/** A copy of the proof controller with one bug, the story that shows it, and the check that must detect it. */
export interface Broken {
  readonly ways: (connections: ManagerConnections) => Partial<Ways>;
  readonly faults: readonly FaultSpec[];
  readonly managers?: number;
  /** The invariant, or the error, that must end the run. */
  readonly caughtBy: string;
}

/** A separate client, without the protections of the runner. */
function unguarded({ kube, env }: ManagerConnections): Ways["createMachine"] {
  const client = createClient({
    transport: kube,
    env,
    fieldManager: "capstan",
    userAgent: "capstan/proof",
  });
  return (_, machine) => client.create(Machine, machine);
}

/** Six bugs that occur in real controllers. */
export const BROKEN: Readonly<Record<string, Broken>> = {
  "forgets its finalizer, so the slot stays": {
    ways: () => ({ hasFinalizer: false }),
    faults: [],
    caughtBy: "no-orphaned-slots",
  },
  "creates once more because its cache is behind": {
    ways: (connections) => ({ createMachine: unguarded(connections) }),
    faults: [{ fault: "watch-delay", when: { trigger: { resource: "machines", probability: 0.5 } } }],
    caughtBy: "no-surplus-machines",
  },
  "tries again at once although it was told to wait": {
    ways: () => ({ createMachine: impatient }),
    faults: [
      { fault: "kube-throttled", when: { trigger: { verb: "create", resource: "machines", nth: 1 } } },
    ],
    caughtBy: "retry-after-honoured",
  },
  "writes a new status in each pass": {
    ways: () => ({ first: [restless] }),
    faults: [],
    caughtBy: "no-hot-loop",
  },
  "writes after it has lost the Lease": {
    ways: (connections) => ({ createMachine: unguarded(connections) }),
    faults: [{ fault: "two-leaders", when: { trigger: { verb: "create", resource: "machines", nth: 2 } } }],
    managers: 2,
    caughtBy: "single-writer",
  },
  "does not wait for its slot": {
    ways: () => ({ waitsForSlot: false }),
    faults: [],
    caughtBy: "slot-before-machines",
  },
};

/** The controller with the bug, for a manager's connections. */
export function brokenController(connections: ManagerConnections, { ways }: Broken): Reconciler {
  return proofController(connections.connect("https://depot"), ways(connections));
}

const impatient: Ways["createMachine"] = async (client, machine) => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.create(Machine, machine);
    } catch (error) {
      if (!(error instanceof Failure) || attempt === 3) throw error;
    }
  }
};

async function restless({ context, set }: ProofScope): Promise<Outcome> {
  set.status = { ...set.status, propagatedHash: `looked at ${context.env.clock.monotonic()}` };
  await context.persistStatus();
  return again(100, "LookingAgain");
}
