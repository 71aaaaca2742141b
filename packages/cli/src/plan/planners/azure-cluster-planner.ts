import { AzureCluster, type Frozen } from "@capstan/api";
import { counted } from "../../render/amounts.ts";
import { titleOf } from "../read/given-objects.ts";
import { changeLine, changesBetween, type FieldChange } from "../read/spec-changes.ts";
import { NOTHING, type Planner, type PlanReport } from "./planner.ts";
import { proposed } from "./proposed-pools.ts";

/** Shows what changes in the networks of clusters; what that does to machines is in the reports of their owners. */
export const azureClusterPlanner: Planner = {
  kinds: [AzureCluster.kind],
  isFor: ({ azureClusters }) => azureClusters.length > 0,
  planDump: () => reportOf([]),
  forecast: async (_, { client, given }) => {
    const all = await Promise.all(
      given.azureClusters.map(async (manifest) => {
        const { before, after } = await proposed(client, AzureCluster, manifest);
        return { after, changes: before ? changesBetween(before.spec, after.spec, "spec") : [] };
      }),
    );
    return reportOf(all.filter(({ changes }) => changes.length > 0));
  },
};

interface ChangedCluster {
  readonly after: Frozen<AzureCluster>;
  readonly changes: readonly FieldChange[];
}

function reportOf(changed: readonly ChangedCluster[]): PlanReport {
  return {
    print: (form) =>
      changed
        .map(({ after, changes }) => {
          const lines = [...changes.map(changeLine), "the AzureCluster controller changes this in Azure"];
          if (form !== "markdown")
            return `${[titleOf(after), ...lines.map((line) => `  ${line}`)].join("\n")}\n`;
          return `### ${titleOf(after)}\n\n${lines.map((line) => `- ${line}\n`).join("")}`;
        })
        .join("\n"),
    json: { actions: changed.map(actionOf), blocked: [] },
    isDisruptive: false,
    notes: [],
    summary:
      changed.length === 0
        ? NOTHING
        : changed
            .map(({ after, changes }) => `${titleOf(after)}: ${counted(changes.length, "changed field")}`)
            .join("; "),
  };
}

function actionOf({ after, changes }: ChangedCluster): object {
  const { name, namespace } = after.metadata;
  return {
    controller: "azurecluster",
    object: { kind: AzureCluster.kind, namespace, name },
    action: "ApplyNetwork",
    targets: [`${AzureCluster.kind}/${name}`],
    detail: { changes },
    why: counted(changes.length, "changed field"),
  };
}
