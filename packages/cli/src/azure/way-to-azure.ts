/** The way of commands to Azure, public or simulated. */
import { type Cloud, cloudNamed, createNetwork, type Network } from "@capstan/azure";
import { readGivenFile } from "../given-file.ts";
import type { Shell } from "../shell.ts";

/** Connections to Azure, through the proxy of the usual variables; they trust the file of --azure-ca, if there is one. */
export function networkFor(shell: Shell, azureCa: string | undefined): Network {
  const { variables } = shell;
  const proxyUrl = variables["HTTPS_PROXY"] ?? variables["https_proxy"];
  const noProxy = (variables["NO_PROXY"] ?? variables["no_proxy"] ?? "")
    .split(",")
    .filter((host) => host !== "");
  return createNetwork({
    noProxy,
    ...(proxyUrl !== undefined && proxyUrl !== "" && { proxyUrl }),
    ...(azureCa !== undefined && { ca: readGivenFile(shell, azureCa, "--azure-ca") }),
  });
}

/** An Azure other than the public one, such as a simulated one, serves ARM and Entra at one address. */
export function cloudAt(endpoint: string | undefined): Cloud {
  const cloud = cloudNamed();
  if (endpoint === undefined) return cloud;
  return { ...cloud, name: endpoint, resourceManager: endpoint, authority: endpoint };
}
