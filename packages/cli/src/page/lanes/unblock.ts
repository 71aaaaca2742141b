/** Which object holds a rollout up, and the command that lets it go on. Pure. */
import type { Obstacle } from "@capstan/page";
import { quoted } from "../../render/amounts.ts";

/** The rollout that is held up. */
export interface HeldRollout {
  /** How the command line names it, such as `workers` or `md/workers`. */
  readonly word: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly cluster: string;
  /** The flags of `capstan` that select the management cluster. */
  readonly flags: string;
}

/** A report of what holds a rollout up. */
interface Report {
  readonly who: string;
  readonly reason: string;
  readonly message: string;
}

/** The report with the object that blocks and the command. */
export function obstacleOf(report: Report, rollout: HeldRollout): Obstacle {
  const way =
    byBudget(report, rollout) ?? WAYS[report.reason]?.(report, rollout) ?? describeIt(report, rollout);
  return { ...report, ...way };
}

type Way = Pick<Obstacle, "blocking" | "command">;

/**
 * The budget is named in the message of the condition alone, which every drain of ours and of Cluster API writes: it is
 * looked for there to show a command, and nothing is decided by it.
 */
function byBudget({ message }: Report, rollout: HeldRollout): Way | undefined {
  const [, namespace, name] =
    /PodDisruptionBudget ([a-z0-9][a-z0-9.-]*)\/([a-z0-9][a-z0-9.-]*)/.exec(message) ?? [];
  if (namespace === undefined || name === undefined) return undefined;
  const kubeconfig = `npx capstan get kubeconfig ${quoted(rollout.cluster)} ${rollout.flags}`;
  const patch = `'{"spec":{"minAvailable":null,"maxUnavailable":1}}'`;
  return {
    blocking: `PodDisruptionBudget ${namespace}/${name}`,
    command: `kubectl --kubeconfig <(${kubeconfig}) patch poddisruptionbudget ${name} -n ${namespace} --type merge -p ${patch}`,
  };
}

const WAYS: Readonly<Record<string, (report: Report, rollout: HeldRollout) => Way>> = {
  Paused: (_, rollout) => ({
    blocking: `${rollout.kind} ${rollout.namespace}/${rollout.name}`,
    command: capstan("rollout resume", rollout),
  }),
  NodeCordoned: ({ who }, rollout) => ({
    blocking: `Node of ${who}`,
    command: `kubectl --kubeconfig <(npx capstan get kubeconfig ${quoted(rollout.cluster)} ${rollout.flags}) get nodes`,
  }),
};

function capstan(verb: string, { word, namespace, flags }: HeldRollout): string {
  return `npx capstan ${verb} ${quoted(word)} -n ${namespace} ${flags}`.trim();
}

function describeIt(_: Report, { kind, name, namespace }: HeldRollout): Way {
  return { command: `kubectl describe ${kind.toLowerCase()} ${quoted(name)} -n ${namespace}` };
}
