import { AzureMachinePool, Cluster, type CustomKind } from "@capstan/api";
import { savedClusters } from "@capstan/apiserver/layout";
import { withUserClient } from "../cluster/user-access.ts";
import type { UserAccess } from "../cluster/user-kubeconfig.ts";
import { OWNER_KINDS, ownerWord } from "../rollout/owner-progress.ts";
import type { Shell } from "../shell.ts";
import { until } from "../watching/wait.ts";

/** The kinds that a command may name, by the words of the command. */
const NAMED: readonly (readonly [RegExp, readonly CustomKind[]])[] = [
  [/^describe cluster$/, [Cluster]],
  [/^rollout \w+$/, [AzureMachinePool, ...OWNER_KINDS]],
  [/^prototype (?!list$)\w+$/, [AzureMachinePool]],
];

// A user who presses the Tab key waits no longer.
const ANSWER_WITHIN_MS = 2000;

/** The names of objects that may complete a command; none if the cluster cannot be asked. */
export async function objectNames(
  shell: Shell,
  path: string,
  access: UserAccess,
): Promise<readonly string[]> {
  if (path === "get kubeconfig") return await clusterNames(access);
  const [, kinds = []] = NAMED.find(([pattern]) => pattern.test(path)) ?? [];
  if (kinds.length === 0) return [];
  const asked = withUserClient(shell, access, async (client, { namespace }) => {
    const lists = kinds.map(async (kind) =>
      (await client.list(kind, { namespace })).map(({ metadata: { name } }) =>
        OWNER_KINDS.includes(kind) ? ownerWord(kind, name) : name,
      ),
    );
    return (await Promise.all(lists)).flat();
  });
  // A completion has no place for an error; the command itself reports it.
  const answered = asked.catch(() => []);
  return (await until(shell, answered, { stop: NEVER, limitMs: ANSWER_WITHIN_MS })) ?? [];
}

async function clusterNames({ dataDir }: UserAccess): Promise<readonly string[]> {
  const names = savedClusters(dataDir);
  const { clusterNameForUsers } = await import("@capstan/sim");
  return names.map((name) => clusterNameForUsers(name, names));
}

const NEVER = new AbortController().signal;
