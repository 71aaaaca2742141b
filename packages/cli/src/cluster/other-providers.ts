import { type CustomKind, CustomResourceDefinition, Lease } from "@capstan/api";
import type { Clock } from "@capstan/env";
import { coexistenceProblems } from "@capstan/manager";
import type { Client } from "@capstan/runtime";
import { CommandError } from "../command-error.ts";

/** Refuses to reconcile kinds that another provider reconciles too; `advice` is the next step for the user. */
export async function refuseOtherProviders(
  { client, clock }: { readonly client: Client; readonly clock: Clock },
  kinds: readonly CustomKind[],
  advice: string,
): Promise<void> {
  const [definitions, leases] = await Promise.all([
    client.list(CustomResourceDefinition),
    client.list(Lease),
  ]);
  const problems = coexistenceProblems({ kinds, definitions, leases, nowMs: clock.now() });
  if (problems.length === 0) return;
  throw new CommandError(
    `another provider reconciles the same objects:\n  ${problems.join("\n  ")}\n${advice}`,
  );
}
