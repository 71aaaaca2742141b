import { patientArm, RegionSizes } from "@capstan/azure";
import { azureUpdater } from "@capstan/manager";
import { createClient } from "@capstan/runtime";
import { defineUpdater, serveUpdater } from "@capstan/updater";
import { resolve } from "node:path";
import { azureOfOwnIdentity, ownTokens } from "../azure/own-tokens.ts";
import { cloudAt, networkFor } from "../azure/way-to-azure.ts";
import { connectToManagement, type ManagementAccess } from "../cluster/management-access.ts";
import { EXIT } from "../exit-codes.ts";
import type { Shell } from "../shell.ts";
import { aborted } from "../signals.ts";

/** How to serve the updater for Azure. */
export interface UpdaterServeOptions extends ManagementAccess {
  readonly tlsFolder: string;
  readonly port: number;
  readonly clientAuthority?: string;
  readonly azureEndpoint?: string;
  readonly azureCa?: string;
}

/** `capstan updater azure serve`: for a management cluster whose controllers are not of this process, with an identity of its own. */
export async function updaterAzureServe(shell: Shell, options: UpdaterServeOptions): Promise<number> {
  const { env, out, workingFolder } = shell;
  const { tlsFolder, port, clientAuthority, azureEndpoint, azureCa } = options;
  const stop = shell.stopSignal();
  const network = networkFor(shell, azureCa);
  const cloud = cloudAt(azureEndpoint);
  const { connect } = network;
  const tokens = ownTokens(shell, { cloud, connect, env }, "any identity");
  const { transport } = await connectToManagement(shell, options);
  const azure = azureOfOwnIdentity({ env, cloud, connect });
  const arm = patientArm(azure.armWith(tokens, "azureupdater"), env.clock);
  const updater = defineUpdater(
    azureUpdater({
      client: createClient({ transport, env, fieldManager: "capstan-updater-azure" }),
      regionSizes: new RegionSizes(env.clock),
      armFor: () => Promise.resolve(arm),
    }),
  );
  const server = await serveUpdater(updater, {
    tlsFolder: resolve(workingFolder, tlsFolder),
    port,
    ...(clientAuthority !== undefined && { clientAuthorityFile: resolve(workingFolder, clientAuthority) }),
  });
  out.write(`updater ${updater.name} listens on port ${server.port}\n`);
  await aborted(stop);
  await server.close();
  await network.close();
  await transport.close();
  return EXIT.done;
}
