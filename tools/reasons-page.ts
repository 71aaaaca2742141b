import type { ReasonText } from "../packages/manager/src/reasons/reason-text.ts";
import { CONDITION_TYPES } from "./condition-types.ts";
import type { GivenReasons, ReasonSources } from "./reason-sources.ts";

/** The table of reasons, by their names. */
export type ReasonTable = Readonly<Record<string, ReasonText>>;

const TABLE_FOLDER = "packages/manager/src/reasons";

/** Says of each reason that is given and not explained, or explained and not given, what to do. */
export function reasonProblems(sources: ReasonSources, table: ReasonTable): readonly string[] {
  const given = givenIn(sources);
  const unexplained = [...given].filter(([reason]) => !Object.hasOwn(table, reason));
  const unused = Object.keys(table).filter((reason) => !given.has(reason));
  return [
    ...unexplained.map(
      ([reason, where]) =>
        `${reason} (${where}) has no meaning and cure; add it to a table in ${TABLE_FOLDER}`,
    ),
    ...unused.map(
      (reason) => `${reason} is explained in ${TABLE_FOLDER}, but no controller gives it; remove it`,
    ),
  ];
}

function givenIn({ kinds, shared, holds }: ReasonSources): ReadonlyMap<string, string> {
  const given = new Map(holds.map((reason) => [reason, "BlockedReason"]));
  for (const { name, reasons, events } of [...shared, ...kinds])
    for (const reason of [...reasons, ...events]) given.set(reason, name);
  return given;
}

/** The headings of the shared parts, with what they are about. */
const SHARED_TEXTS: Readonly<Record<string, { readonly heading: string; readonly about: string }>> = {
  any: {
    heading: "Every kind",
    about:
      "Given by the runner of all controllers. `Paused` and `NotPaused` are in the condition `Paused`, which is set once an object was paused.",
  },
  references: {
    heading: "References",
    about:
      "Given for `clusterName`, and for `infrastructureRef`, `controlPlaneRef` and `bootstrap.configRef`.",
  },
  azure: {
    heading: "Reaching Azure",
    about: "Given when a controller logs in to Azure, or gets no usable answer.",
  },
  workload: {
    heading: "Reaching the workload cluster",
    about: "Given when the manager connects to the API server of a workload cluster, or reads its Nodes.",
  },
  aks: {
    heading: "AKS through Azure Service Operator",
    about:
      "Given for objects of Azure Service Operator that the controllers of AKS keep. Other reasons are those of its Ready condition.",
  },
  drain: { heading: "Drain", about: "Given while the Node of a machine is drained." },
};

/** The shared parts that a kind takes reasons from, besides those of every kind. */
const SHARED_OF: Readonly<Record<string, readonly string[]>> = {
  AzureClusterIdentity: ["azure"],
  Cluster: ["references", "workload"],
  AzureCluster: ["azure"],
  MachinePool: ["references", "workload"],
  MachineDeployment: ["references"],
  MachineSet: ["references"],
  Machine: ["references", "workload", "drain"],
  AzureMachinePool: ["azure"],
  AzureMachinePoolMachine: ["workload", "drain"],
  AzureManagedControlPlane: ["azure", "aks"],
  AzureManagedMachinePool: ["workload", "aks"],
};

const INTRODUCTION = `Each condition has a reason, which says why it is True or False, and mostly a message with the objects and the next step. Find the kind
in \`kubectl describe\`, then the reason in the tables of that kind.

- \`Ready\` repeats the reason of the worst of the conditions that it sums up, or of what the last reconcile failed on or waits for.
- \`InfrastructureReady\`, \`ControlPlaneReady\` and \`BootstrapReady\` of a Cluster or MachinePool repeat the reason of the object that the reference names.
- Error codes of Azure and Microsoft Entra ID (\`QuotaExceeded\`, \`AuthorizationFailed\`, \`AADSTS7000215\`, …) and reasons of the Kubernetes API
  (\`Forbidden\`, \`TooManyRequests\`, …) appear as reasons too. They are not in the tables: the message has the words of the server that gave them.
- A failure that needs you, or that does not pass after several retries, is also recorded as an event, with the same reason.`;

/** The page of all reasons; the sources must have no problems. */
export function reasonsPage(sources: ReasonSources, table: ReasonTable): string {
  const kinds = sources.kinds.map((kind) => kindSection(kind, sources, table));
  const shared = sources.shared.map((part) => sharedSection(part, table));
  return `# Conditions, reasons and events

${INTRODUCTION}

${kinds.join("\n")}
## Shared by several kinds

${shared.join("\n")}`;
}

function kindSection(given: GivenReasons, { holds }: ReasonSources, table: ReasonTable): string {
  const { name, reasons, events } = given;
  const types = Object.entries(CONDITION_TYPES[name] ?? {});
  const isPool = name === "AzureMachinePool";
  const shown = new Set([...reasons, ...(isPool ? holds : [])]);
  const repeated = events.filter((event) => shown.has(event));
  const parts = [
    `| condition | when True |\n|---|---|\n${types.map(([type, says]) => `| \`${type}\` | ${says} |\n`).join("")}`,
    titled("Reasons", reasonRows(reasons, table)),
    linksOf(name),
    titled("What can hold a pool", reasonRows(isPool ? holds : [], table)),
    titled(
      "Events",
      reasonRows(
        events.filter((event) => !shown.has(event)),
        table,
      ),
    ),
    repeated.length === 0
      ? ""
      : `Events also carry these reasons from above: ${repeated.map((one) => `\`${one}\``).join(", ")}.\n`,
  ];
  return `## ${name}\n\n${parts.filter((part) => part !== "").join("\n")}`;
}

function sharedSection({ name, reasons, events }: GivenReasons, table: ReasonTable): string {
  const { heading, about } = textsOf(name);
  return `### ${heading}\n\n${about}\n\n${reasonRows([...reasons, ...events], table)}`;
}

function linksOf(kind: string): string {
  const parts = ["any", ...(SHARED_OF[kind] ?? [])];
  const links = parts.map((name) => {
    const { heading } = textsOf(name);
    return `[${heading}](#${heading.toLowerCase().replaceAll(" ", "-")})`;
  });
  return `See also: ${links.join(", ")}.\n`;
}

function textsOf(name: string): { readonly heading: string; readonly about: string } {
  return SHARED_TEXTS[name] ?? { heading: name, about: "" };
}

function titled(title: string, rows: string): string {
  return rows === "" ? "" : `### ${title}\n\n${rows}`;
}

function reasonRows(reasons: readonly string[], table: ReasonTable): string {
  if (reasons.length === 0) return "";
  const rows = reasons.map((reason) => {
    const { meaning = "", cure = "" } = table[reason] ?? {};
    return `| \`${reason}\` | ${cell(meaning)} | ${cell(cure)} |\n`;
  });
  return `| reason | meaning | cure |\n|---|---|---|\n${rows.join("")}`;
}

function cell(text: string): string {
  return text.replaceAll("|", String.raw`\|`);
}
