/** Where one of Azure's clouds is. */
export interface Cloud {
  readonly name: string;
  /** The resource manager. */
  readonly resourceManager: string;
  /** Entra, which gives out tokens. */
  readonly authority: string;
  /** What a token for the resource manager is asked for. */
  readonly scope: string;
}

/** Azure's clouds under the names that `azureEnvironment` has for them. */
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

/** The cloud of that name; the public one when there is none. Throws a RangeError for a name that is not known. */
export function cloudNamed(name = "AzurePublicCloud"): Cloud {
  const cloud = CLOUDS.find((candidate) => candidate.name === name);
  if (cloud) return cloud;
  const known = CLOUDS.map((candidate) => candidate.name).join(", ");
  throw new RangeError(`${JSON.stringify(name)} is not an Azure cloud; use one of ${known}`);
}
