import type { Frozen } from "../kubernetes/meta.ts";
import { type Static, boolean, integer, listOf, object, optional, string } from "../schema/schema.ts";
import { type FieldError, errorIf, forbidden, invalid } from "../values/field-error.ts";

/** The fields that attach a machine to the network, current and deprecated. */
export const networkFields = {
  networkInterfaces: optional(
    listOf(
      "The network interfaces of the machine; the first is the primary one.",
      object("A network interface.", {
        subnetName: optional(string("The subnet; without it, the subnet of the nodes.")),
        privateIPConfigs: optional(integer("How many private addresses it has. Default: 1.")),
        acceleratedNetworking: optional(
          boolean(
            "Whether accelerated networking is used, for sizes that support it; without it, Azure decides.",
          ),
        ),
      }),
    ),
  ),
  subnetName: optional(string("Deprecated: use networkInterfaces.")),
  acceleratedNetworking: optional(boolean("Deprecated: use networkInterfaces.")),
};

/** The network fields of a machine or of a pool's template. */
export interface NetworkFields {
  networkInterfaces?: Static<(typeof networkFields)["networkInterfaces"]>;
  subnetName?: string;
  acceleratedNetworking?: boolean;
}

/** Moves the deprecated fields into an interface and gives every interface an address. */
export function defaultNetworkInterfaces(machine: NetworkFields): void {
  const { networkInterfaces = [], subnetName, acceleratedNetworking } = machine;
  const deprecated = {
    ...(subnetName && { subnetName }),
    ...(acceleratedNetworking !== undefined && { acceleratedNetworking }),
  };
  if (networkInterfaces.length === 0) networkInterfaces.push({ ...deprecated });
  // A manifest that is applied again repeats them without a change; validation refuses a contradiction.
  const [primary] = networkInterfaces;
  if (primary && !says(primary, deprecated)) return;
  delete machine.subnetName;
  delete machine.acceleratedNetworking;
  for (const networkInterface of networkInterfaces) {
    networkInterface.privateIPConfigs ||= 1;
  }
  machine.networkInterfaces = networkInterfaces;
}

type Attachment = Pick<NetworkFields, "subnetName" | "acceleratedNetworking">;

function says(primary: Attachment, { subnetName, acceleratedNetworking }: Attachment): boolean {
  return (
    (subnetName === undefined || primary.subnetName === subnetName) &&
    (acceleratedNetworking === undefined || primary.acceleratedNetworking === acceleratedNetworking)
  );
}

/** Validates how a machine is attached to the network. */
export function networkInterfaceErrors(path: string, machine: Frozen<NetworkFields>): readonly FieldError[] {
  const { networkInterfaces = [], subnetName, acceleratedNetworking } = machine;
  const mixed = "networkInterfaces is set as well; put it there";
  return [
    ...errorIf(networkInterfaces.length > 0 && subnetName, forbidden(`${path}.subnetName`, mixed)),
    ...errorIf(
      networkInterfaces.length > 0 && acceleratedNetworking !== undefined,
      forbidden(`${path}.acceleratedNetworking`, mixed),
    ),
    ...networkInterfaces.flatMap(({ privateIPConfigs = 1 }, index) =>
      privateIPConfigs < 1
        ? [
            invalid(
              `${path}.networkInterfaces[${index}].privateIPConfigs`,
              privateIPConfigs,
              "must be at least 1",
            ),
          ]
        : [],
    ),
  ];
}
