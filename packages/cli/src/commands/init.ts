import type { Env, Transport } from "@capstan/env";
import { createClient } from "@capstan/runtime";
import { stringify } from "yaml";
import { boundedTransport } from "../cluster/bounded-transport.ts";
import { installDefinitions } from "../cluster/install-definitions.ts";
import { connectToManagement, type ManagementAccess } from "../cluster/management-access.ts";
import { refuseOtherProviders } from "../cluster/other-providers.ts";
import { refuseEmbedded } from "../cluster/unsuitable-cluster.ts";
import { EXIT } from "../exit-codes.ts";
import { type Applied, apply } from "../install/apply.ts";
import { definitions, inOrder, installation } from "../install/installation.ts";
import { installedKinds, MANAGER, NAMESPACE } from "../install/names.ts";
import { quoted } from "../render/amounts.ts";
import { paintFor, tryNext } from "../render/paint.ts";
import type { Shell } from "../shell.ts";

/** What to install, and where. */
export interface InitOptions extends ManagementAccess {
  /** Prints the objects and sends no request. */
  readonly dryRun: boolean;
  readonly takeOver: boolean;
  /** The image that the manager runs from. */
  readonly image: string;
}

/** `capstan init`: installs the kinds and the manager in a management cluster, and prints what it did. */
export async function init(shell: Shell, options: InitOptions): Promise<number> {
  const { env, out, variables } = shell;
  if (options.dryRun) {
    out.write(printed(options.image));
    return EXIT.done;
  }
  const paint = paintFor(out, variables);
  const { transport: connection, origin } = await connectToManagement(shell, options);
  const transport = boundedTransport(env, connection, origin);
  try {
    await refuseEmbedded(transport, "capstan init");
    await install({ env, transport, say: (line) => out.write(`${paint.tick}${line}\n`) }, options);
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

function printed(image: string): string {
  return [...definitions(), ...inOrder(installation(image))]
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

/** Installs everything: the CRDs first, because the other objects refer to their kinds. It is idempotent. */
export async function install(
  { env, transport, say }: InstallPorts,
  { takeOver, image }: Pick<InitOptions, "takeOver" | "image">,
): Promise<void> {
  const client = createClient({ transport, env, fieldManager: "capstan-init" });
  if (!takeOver) {
    const advice = "stop it and give --take-over";
    await refuseOtherProviders({ client, clock: env.clock }, installedKinds, advice);
  }
  const { created, updated, unchanged } = await installDefinitions({ env, transport }, installedKinds);
  say(`CRDs: ${installedKinds.length} (${created} new, ${updated} updated, ${unchanged} unchanged)`);
  const byKind = Map.groupBy(inOrder(installation(image)), ({ kind }) => kind);
  for (const [kind, manifests] of byKind) {
    const results: Applied[] = [];
    for (const manifest of manifests) results.push(await apply(client, manifest));
    say(`${kind}: ${results.map(({ name, result }) => `${name} (${result})`).join(", ")}`);
  }
}

function kubectlFor({ kubeconfig, context }: ManagementAccess): string {
  const file = kubeconfig === undefined ? "" : ` --kubeconfig ${quoted(kubeconfig)}`;
  return `kubectl${file}${context === undefined ? "" : ` --context ${quoted(context)}`}`;
}
