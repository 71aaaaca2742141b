import type { Features } from "@capstan/api";
import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { type CertificateIssuer, createControllers, type CreatedControllers } from "@capstan/manager";
import { cloudNamed } from "@capstan/azure";
import type { Reconciler } from "@capstan/runtime";
import { CLUSTERS_ORIGIN, type ManagerConnections, SERVICE_OPERATOR, SIMULATED_ISSUER } from "@capstan/sim";
import { ownAzureUpdater, withOwnUpdaters } from "./own-updaters.ts";
import { simulatedTokens } from "./embedded-manager.ts";
import { SIMULATED_TOKEN_FILE, withServiceAccountToken } from "./service-account-token.ts";
import { virtualLogin } from "./virtual-login.ts";

/** The product's controllers in a simulated world, with the features that are on there. */
export function simulatedControllers(
  connections: ManagerConnections,
  features?: Features,
  issuer: CertificateIssuer = SIMULATED_ISSUER,
): readonly Reconciler[] {
  const { env, kube, azure, connect, connectEtcd, log, azureToken, assertMayWrite } = connections;
  const created: CreatedControllers = createControllers({
    ...(features && { features }),
    env,
    kube,
    log,
    standIns: SERVICE_OPERATOR,
    assertMayWrite,
    azure: {
      cloud: cloudNamed(),
      connect: () => azure,
      acquire: (applicant) => virtualLogin(azure, applicant),
      defaultTokens: simulatedTokens(env, azureToken),
      defaultSubscriptionID: DEFAULT_SUBSCRIPTION,
      federatedTokenFile: SIMULATED_TOKEN_FILE,
    },
    issuer,
    connectEtcd,
    workload: { connect: ({ server }) => connect(server), trustedOrigins: [CLUSTERS_ORIGIN] },
    updaters: {
      connect: withOwnUpdaters([ownAzureUpdater(() => created.azureUpdater)], ({ url }) => connect(url))
        .connect,
    },
    readFile: withServiceAccountToken(env.clock, (path) =>
      Promise.reject(new Error(`there is no file ${path} in a simulated world`)),
    ),
  });
  return created.reconcilers;
}
