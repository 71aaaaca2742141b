import { existing } from "../cluster/unknown-name.ts";
import { withUserClient } from "../cluster/user-access.ts";
import type { UserAccess } from "../cluster/user-kubeconfig.ts";
import { clusterTree, kindsIn, type Leaf, type TreeOptions } from "../describe/cluster-tree.ts";
import { printTree } from "../describe/print-tree.ts";
import { partsOf } from "../describe/read-parts.ts";
import { treeAnswer } from "../describe/tree-answer.ts";
import { EXIT } from "../exit-codes.ts";
import { type OutputForm, printed } from "../render/output.ts";
import { paintFor } from "../render/paint.ts";
import { widthFor } from "../render/width.ts";
import type { Shell } from "../shell.ts";

/** Which cluster, and how to print it. */
export interface DescribeClusterOptions {
  readonly access: UserAccess;
  readonly name: string;
  readonly output?: OutputForm;
  /** Shows it again after each change, until Ctrl-C. */
  readonly isWatching: boolean;
  readonly tree: Omit<TreeOptions, "nowMs">;
}

/** `capstan describe cluster`: the parts of a cluster as a tree, with the state of each. */
export async function describeCluster(shell: Shell, options: DescribeClusterOptions): Promise<number> {
  const { access, name, output, isWatching } = options;
  // Programs want objects, and a wide answer has room for each of them.
  const tree = output === undefined ? options.tree : { ...options.tree, isGrouped: false };
  return await withUserClient(shell, access, async (client, { now, namespace }) => {
    const read = async (): Promise<Leaf> => {
      const parts = await partsOf(client, { name, namespace });
      return clusterTree(parts, { ...tree, nowMs: now() });
    };
    const print = (root: Leaf): Promise<string> =>
      printed(treeAnswer(root), output, (isWide) => {
        const columns = isWide ? Number.POSITIVE_INFINITY : widthFor(shell);
        const look = { nowMs: now(), columns, isWide, paint: paintFor(shell.out, shell.variables) };
        return printTree(root, look);
      });
    if (isWatching) {
      // Only for this flag: a command loads no more than it needs.
      const { watchAnswer } = await import("../watching/watch-answer.ts");
      return await watchAnswer(shell, { read, print, essence: treeAnswer, output });
    }
    const root = await read();
    shell.out.write(await print(root));
    noteUnknownKind(shell, root, tree.conditionsOf);
    return EXIT.done;
  });
}

/** Without it, conditions of a misspelt kind would just not be there. */
function noteUnknownKind({ err }: Shell, root: Leaf, conditionsOf = "all"): void {
  const [chosen = ""] = conditionsOf.split("/");
  const kinds = kindsIn(root);
  if ([...kinds, "all"].some((kind) => kind.toLowerCase() === chosen.toLowerCase())) return;
  err.write(
    `note: no part of the cluster is of kind ${JSON.stringify(chosen)}; ${existing(chosen, kinds)}\n`,
  );
}
