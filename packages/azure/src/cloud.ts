/** The endpoints of one of Azure's clouds. */
export interface Cloud {
  readonly name: string;
  /** The resource manager. */
  readonly resourceManager: string;
  /** Entra ID, which issues tokens. */
  readonly authority: string;
  /** The scope of a token for the resource manager. */
  readonly scope: string;
}

/** Azure's clouds by their names in `azureEnvironment`. */
const CLOUDS: readonly Cloud[] = [
  {
    name: "AzurePublicCloud",
    resourceManager: "https://management.azure.com",
    authority: "https://login.microsoftonline.com",
    scope: "https://management.azure.com/.default",
  },
  {
    name: "AzureUSGovernmentCloud",
    resourceManager: "https://management.usgovcloudapi.net",
    authority: "https://login.microsoftonline.us",
    scope: "https://management.usgovcloudapi.net/.default",
  },
  {
    name: "AzureChinaCloud",
    resourceManager: "https://management.chinacloudapi.cn",
    authority: "https://login.chinacloudapi.cn",
    scope: "https://management.chinacloudapi.cn/.default",
  },
];

/** The cloud of that name; the public one by default. Throws a RangeError for an unknown name. */
export function cloudNamed(name = "AzurePublicCloud"): Cloud {
  const cloud = CLOUDS.find((candidate) => candidate.name === name);
  if (cloud) return cloud;
  const known = CLOUDS.map((candidate) => candidate.name).join(", ");
  throw new RangeError(`${JSON.stringify(name)} is not an Azure cloud; use one of ${known}`);
}
