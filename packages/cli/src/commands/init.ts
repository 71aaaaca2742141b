import { type CustomKind, toConvertedDefinition } from "@capstan/api";
import type { Env, Transport } from "@capstan/env";
import { type Client, createClient } from "@capstan/runtime";
import { stringify } from "yaml";
import { boundedTransport } from "../cluster/bounded-transport.ts";
import { needsConversion } from "../cluster/definition-change.ts";
import { installDefinitions, storedDefinitions } from "../cluster/install-definitions.ts";
import { connectToManagement, type ManagementAccess } from "../cluster/management-access.ts";
import { refuseActiveProviders, refuseOtherProviders } from "../cluster/other-providers.ts";
import { refuseUnsafeTakeOver } from "../cluster/take-over.ts";
import { refuseUnsuitable } from "../cluster/unsuitable-cluster.ts";
import { refuseWorkloadCluster } from "../cluster/workload-cluster.ts";
import { refuseUnknownControllers } from "../controllers/controller-names.ts";
import { EXIT } from "../exit-codes.ts";
import { type Applied, apply } from "../install/apply.ts";
import { askConversion } from "../install/ask-conversion.ts";
import { definitions, inOrder, installation, reviews, servers } from "../install/installation.ts";
import {
  EVERYTHING,
  MANAGER,
  type Manifest,
  NAMESPACE,
  type Selection,
  selectionOf,
} from "../install/names.ts";
import { refuseMissingRights } from "../install/rights.ts";
import { quoted } from "../render/amounts.ts";
import { paintFor, tryNext } from "../render/paint.ts";
import type { Shell } from "../shell.ts";

/** What to install, and where. */
export interface InitOptions extends ManagementAccess {
  /** Prints the objects and sends no request. */
  readonly dryRun: boolean;
  readonly takeOver: boolean;
  /** Also into a workload cluster, which manages itself from then on. */
  readonly selfManaged: boolean;
  /** The image that the manager runs from. */
  readonly image: string;
  /** The controllers that the manager runs, by name; all unless given. Only their kinds are installed. */
  readonly controllers?: readonly string[];
}

/** `capstan init`: installs the kinds and the manager in a management cluster, and prints what it did. */
export async function init(shell: Shell, options: InitOptions): Promise<number> {
  const { env, out, variables } = shell;
  refuseUnknownControllers(options.controllers);
  const selection = selectionOf(options.controllers);
  if (options.dryRun) {
    out.write(printed(options.image, selection));
    return EXIT.done;
  }
  const paint = paintFor(out, variables);
  const { transport: connection, origin } = await connectToManagement(shell, options);
  const transport = boundedTransport(env, connection, origin);
  try {
    await refuseUnsuitable(transport, "capstan init");
    if (!options.selfManaged) {
      const client = createClient({ transport, env, fieldManager: "capstan-init" });
      await refuseWorkloadCluster(client, ", or let this one manage itself with --self-managed");
    }
    const say = (line: string): void => out.write(`${paint.tick}${line}\n`);
    await install({ env, transport, say }, { ...options, selection });
  } finally {
    await transport.close();
  }
  const kubectl = kubectlFor(options);
  out.write(
    tryNext(
      [
        `${kubectl} -n ${NAMESPACE} rollout status deployment/${MANAGER}`,
        `${kubectl} -n ${NAMESPACE} logs deployment/${MANAGER}`,
        `${kubectl} explain azurecluster.spec`,
      ],
      paint,
    ),
  );
  return EXIT.done;
}

function printed(image: string, selection: Selection): string {
  return [...definitions(selection), ...inOrder(installation(image, selection))]
    .map((manifest) => `---\n${stringify(manifest, { aliasDuplicateObjects: false, lineWidth: 0 })}`)
    .join("");
}

/** The dependencies of an installation. */
export interface InstallPorts {
  readonly env: Env;
  readonly transport: Transport;
  /** Prints a line about what was done. */
  readonly say: (line: string) => void;
}

/**
 * Installs everything. The manager comes before the CRDs: where objects are stored already, a CRD is changed only after the
 * manager has converted an object for the API server, which could not read them otherwise. It is idempotent.
 */
export async function install(
  { env, transport, say }: InstallPorts,
  {
    takeOver,
    image,
    selection = EVERYTHING,
  }: Pick<InitOptions, "takeOver" | "image"> & { readonly selection?: Selection },
): Promise<void> {
  const { kinds } = selection;
  const client = createClient({ transport, env, fieldManager: "capstan-init" });
  const ports = { client, clock: env.clock };
  if (takeOver) {
    await refuseActiveProviders(ports, kinds);
    await refuseUnsafeTakeOver(client, kinds);
  } else {
    await refuseOtherProviders(
      ports,
      kinds,
      "stop it and give --take-over, or choose other kinds with --controllers",
    );
  }
  const parts = installation(image, selection);
  await refuseMissingRights(client, inOrder(parts));
  await applyAll({ client, say }, servers(parts));
  const bundle = await conversionBundle({ client, env, say }, kinds);
  const { created, updated, unchanged } = await installDefinitions({ env, transport }, kinds, {
    bundle,
    say,
  });
  say(`CRDs: ${kinds.length} (${created} new, ${updated} updated, ${unchanged} unchanged)`);
  await applyAll({ client, say }, reviews(parts));
}

/** The authority that changed CRDs have to trust; undefined if none is changed so that objects must be converted. */
async function conversionBundle(
  { client, env, say }: Pick<InstallPorts, "env" | "say"> & { readonly client: Client },
  kinds: readonly CustomKind[],
): Promise<string | undefined> {
  const stored = await storedDefinitions(client);
  const changed = kinds
    .map(toConvertedDefinition)
    .filter((desired) => needsConversion(stored.get(desired.metadata.name), desired));
  if (changed.length === 0) return undefined;
  say(`Waiting for the manager to convert objects of ${changed.length} CRDs`);
  return askConversion({ client, clock: env.clock });
}

async function applyAll(
  { client, say }: Pick<InstallPorts, "say"> & { readonly client: Client },
  manifests: readonly Manifest[],
): Promise<void> {
  for (const [kind, some] of Map.groupBy(manifests, (manifest) => manifest.kind)) {
    const results: Applied[] = [];
    for (const manifest of some) results.push(await apply(client, manifest));
    say(`${kind}: ${results.map(({ name, result }) => `${name} (${result})`).join(", ")}`);
  }
}

function kubectlFor({ kubeconfig, context }: ManagementAccess): string {
  const file = kubeconfig === undefined ? "" : ` --kubeconfig ${quoted(kubeconfig)}`;
  return `kubectl${file}${context === undefined ? "" : ` --context ${quoted(context)}`}`;
}
