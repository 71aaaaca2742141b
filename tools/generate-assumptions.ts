import { ASSUMPTIONS } from "../packages/cli/src/verify/assumptions.ts";

const HEAD = `# What Capstan assumes about Azure

<!-- written by npm run generate from packages/cli/src/verify -->

No test of this repository has met Azure: the network of its machines ends at loopback. Decisions rest on Azure's public documents, on recorded traffic, and on what
operators of Cluster API's Azure provider report. The simulated Azure behaves as this page says, and so can be wrong in the same way.

\`capstan verify azure\` checks the assumptions on a subscription of yours, in a resource group of its own that it deletes again:

\`\`\`
capstan verify azure --subscription $ID            # what it would do, and what that costs
capstan verify azure --subscription $ID --yes      # about 25 minutes; exit code 1 if Azure differs
\`\`\`

It has run against the simulated Azure, where each assumption was falsified in turn and found (\`test/azure/verify-azure.test.ts\`). **It has not run against Azure yet.** Please send what it prints, above all where it differs.
`;

const UNCHECKED = `## Not checked by the command

| assumed | because | tested in the simulator by |
|---|---|---|
| A scale set accepts 4 writes a minute and 10 lists a minute; more are answered with 429 and Retry-After | [throttling limits](https://learn.microsoft.com/azure/virtual-machines/compute-throttling-limits) | \`test/azure/throttling.test.ts\` |
| A scale set has at most 10 models in use, and refuses growth beyond | recorded errors of operators | \`test/azure/scale-sets.test.ts\` |
| A long-running operation is polled at Azure-AsyncOperation or Location, and its answer outlives a restart of the client | [async operations](https://learn.microsoft.com/azure/azure-resource-manager/management/async-operations) | \`test/azure/operations.test.ts\` |
| Spot instances leave by eviction at any time; Azure does not replace them with manual upgrades | [spot scale sets](https://learn.microsoft.com/azure/virtual-machine-scale-sets/use-spot) | \`test/azure/scale-sets.test.ts\` |
| AKS answers ETags, and refuses two operations on one cluster at a time | [AKS REST](https://learn.microsoft.com/rest/api/aks) | \`test/azure/managed-clusters.test.ts\` |
| Quota and capacity errors have the codes of the table in \`packages/azure/src/arm/errors.ts\` | [error codes](https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/common-deployment-errors) | \`packages/azure/src/arm/errors.test.ts\` |
| A stop or a start of a machine whose operation has failed midway can be asked for again; until then the machine is \`stopping\` or \`starting\`, and its provisioning state is \`Failed\` | [states](https://learn.microsoft.com/azure/virtual-machines/states-billing) | \`test/world/nodeprototype/trouble.deep.ts\` |
| An OS disk that is attached (\`createOption: Attach\`) boots a virtual machine without an OS profile, and \`deleteOption: Delete\` removes disk and interface with it | [virtual machines](https://learn.microsoft.com/rest/api/compute/virtual-machines/create-or-update) | \`test/world/nodeprototype/interrupted-copy.deep.ts\` |
| A guest that powers itself off is \`stopped\` in the instance view, and is not started again | [states](https://learn.microsoft.com/azure/virtual-machines/states-billing) | \`test/world/nodeprototype/bad-copy.deep.ts\` |
`;

/** The page of assumptions about Azure, from the checks of `capstan verify azure`. */
export function assumptionsPage(path: string): [string, string] {
  const sections = ASSUMPTIONS.map(
    ({ id, assumes, breaks, source, simulated }) =>
      `| \`${id}\` | ${assumes} | ${breaks} | [source](${source}) | \`${simulated}\` |`,
  );
  const head =
    "| check | Capstan assumes | if not | source | tested in the simulator by |\n|---|---|---|---|---|";
  return [path, `${HEAD}\n## Checked by the command\n\n${head}\n${sections.join("\n")}\n\n${UNCHECKED}`];
}
