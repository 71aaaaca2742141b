import { type CustomKind, CustomResourceDefinition, Lease } from "@capstan/api";
import type { Clock } from "@capstan/env";
import { activeProviders, coexistenceProblems } from "@capstan/manager";
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

/** Refuses to take kinds over from providers that still run. */
export async function refuseActiveProviders(
  { client, clock }: { readonly client: Client; readonly clock: Clock },
  kinds: readonly CustomKind[],
): Promise<void> {
  const problems = activeProviders({ kinds, leases: await client.list(Lease), nowMs: clock.now() });
  if (problems.length === 0) return;
  throw new CommandError(
    `another provider still reconciles the same objects:\n  ${problems.join("\n  ")}\nscale its Deployment to 0 first; its Lease is free after 15 s`,
  );
}
