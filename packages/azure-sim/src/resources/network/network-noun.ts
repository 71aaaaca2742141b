import type { ArmError } from "../../arm/errors.ts";
import type { Resource } from "../../core/resources.ts";
import type { AzureState } from "../../core/azure-state.ts";
import type { JsonObject } from "../../json.ts";

/** The namespace of networks. */
export const NETWORK = "Microsoft.Network";

/** What a type makes of the body of a PUT. */
export interface Completed {
  readonly properties: JsonObject;
  /** Ids of other resources that must exist, and cannot be deleted while this one exists. */
  readonly uses: readonly string[];
}

/** The body of a PUT, and where it goes. */
export interface NetworkDraft {
  readonly world: AzureState;
  readonly id: string;
  readonly body: JsonObject;
  readonly existing: Resource | undefined;
}

/** The specifics of one type of network resource. */
export interface NetworkNoun {
  /** The type in ARM's spelling, such as virtualNetworks. */
  readonly type: string;
  /** Lists inside `properties` whose items are child resources, such as subnets. */
  readonly children: readonly string[];
  /** Checks the body and fills in Azure's own fields. */
  complete(draft: NetworkDraft): Completed;
  /** Why the resource cannot be deleted now. */
  inUse?(world: AzureState, resource: Resource): ArmError | undefined;
  /** Why one of its children cannot be deleted now. */
  childInUse?(world: AzureState, childId: string): ArmError | undefined;
  /** Releases what the type took when the resource was written. */
  removed?(world: AzureState, resource: Resource): void;
  /** Whether a fast PUT ends with the answer, without an operation. */
  readonly mayBeSynchronous?: boolean;
}
