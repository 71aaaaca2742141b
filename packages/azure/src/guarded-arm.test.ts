import type { Logger, LogFields } from "@capstan/runtime";
import { expect, test } from "vitest";
import { guardArm } from "./guarded-arm.ts";
import type { Arm } from "./port.ts";

const PATH = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/mp";

/** A port that sends like the client does: `beforeSending` first, then the request. */
function sendingArm(sent: string[]): Arm {
  const send = async (verb: string, options?: { beforeSending?: () => Promise<void> }) => {
    await options?.beforeSending?.();
    sent.push(`sent ${verb}`);
    return { body: {} };
  };
  return {
    put: (_path: string, _body: object, options?: object) => send("PUT", options),
    delete: (_path: string, options?: object) => send("DELETE", options),
  } as unknown as Arm;
}

function guardedArm(mayWrite: () => boolean) {
  const events: string[] = [];
  const info = (message: string, fields: LogFields = {}): void =>
    void events.push(`${message} ${String(fields["verb"])} ${String(fields["path"]).slice(-3)}`);
  const log = { info } as unknown as Logger;
  const assertMayWrite = (): void => {
    if (!mayWrite()) throw new Error("the Lease is lost");
  };
  return { events, arm: guardArm(sendingArm(events), { assertMayWrite, log }) };
}

test("a write is logged right before it is sent", async () => {
  const { events, arm } = guardedArm(() => true);
  await arm.put(PATH, {}, { beforeSending: async () => void events.push("intent written") });
  await arm.delete(PATH);
  expect(events).toEqual([
    "intent written",
    "Writing to Azure PUT /mp",
    "sent PUT",
    "Writing to Azure DELETE /mp",
    "sent DELETE",
  ]);
});

test("a write is neither sent nor logged when the Lease is lost while the intent is written", async () => {
  let isLeader = true;
  const { events, arm } = guardedArm(() => isLeader);
  const beforeSending = async (): Promise<void> => {
    isLeader = false;
  };
  await expect(arm.put(PATH, {}, { beforeSending })).rejects.toThrow("the Lease is lost");
  expect(events).toEqual([]);
});
