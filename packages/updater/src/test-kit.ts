/** Tests of updaters without a server and without a cluster: the same requests as over the wire. */
import type { HttpResponse } from "@capstan/env";
import type { Updater } from "./define-updater.ts";
import type { FieldPath, UpdatedObject } from "./messages.ts";

/** The answer of an updater to UpdateMachine, as on the wire. */
export interface WireUpdateAnswer {
  readonly error: string | null;
  readonly status: "InProgress" | "Done" | "Error";
  readonly tryAgain?: string;
}

/** The objects of a question; all of them have defaults. */
export interface TestObjects {
  readonly currentMachine?: Partial<UpdatedObject>;
  readonly desiredMachine?: Partial<UpdatedObject>;
  readonly currentInfraMachine?: Partial<UpdatedObject>;
  readonly desiredInfraMachine?: Partial<UpdatedObject>;
}

/** An updater under test. */
export interface UpdaterUnderTest {
  /** Which of the changes the updater accepts. */
  accepts(changes: readonly FieldPath[], objects?: TestObjects): Promise<readonly string[]>;
  /** Calls the updater for a machine. */
  update(name: string, namespace?: string): Promise<WireUpdateAnswer>;
  /** Calls the updater until it is done or has failed; throws after so many calls. */
  updateUntilDone(name: string, mostCalls?: number): Promise<WireUpdateAnswer>;
}

const API = "/updaters.capstan.dev/v1alpha1";
const MOST_CALLS = 100;

/** Puts an updater under test. */
export function underTest(updater: Updater): UpdaterUnderTest {
  const post = async (path: string, body: object): Promise<unknown> => {
    const response = await updater.handle({ method: "POST", path: `${API}/${path}`, headers: {}, body });
    return answerOf(response);
  };
  const update = async (name: string, namespace = "default"): Promise<WireUpdateAnswer> =>
    (await post("updatemachine/update", { machine: { name, namespace } })) as WireUpdateAnswer;
  return {
    accepts: async (changes, objects = {}) => {
      const body = { ...withDefaults(objects), changes };
      const answer = (await post("canupdatemachine/can-update", body)) as { acceptedChanges: string[] };
      return answer.acceptedChanges;
    },
    update,
    updateUntilDone: async (name, mostCalls = MOST_CALLS) => {
      for (let calls = 1; calls <= mostCalls; calls++) {
        const answer = await update(name);
        if (answer.status !== "InProgress") return answer;
      }
      throw new Error(`machine ${name} was not done after ${mostCalls} calls`);
    },
  };
}

async function answerOf(response: HttpResponse): Promise<unknown> {
  if (response.status === 200) return response.json();
  throw new Error(`the updater answered ${response.status}: ${await response.text()}`);
}

function withDefaults(objects: TestObjects): object {
  const machine = objectOf("cluster.x-k8s.io/v1beta1", "Machine");
  const infrastructure = objectOf("infrastructure.cluster.x-k8s.io/v1beta1", "TestMachine");
  return {
    currentMachine: { ...machine, ...objects.currentMachine },
    desiredMachine: { ...machine, ...objects.desiredMachine },
    currentInfraMachine: { ...infrastructure, ...objects.currentInfraMachine },
    desiredInfraMachine: { ...infrastructure, ...objects.desiredInfraMachine },
  };
}

function objectOf(apiVersion: string, kind: string): UpdatedObject {
  return { apiVersion, kind, metadata: { name: "test", namespace: "default" }, spec: {} };
}
