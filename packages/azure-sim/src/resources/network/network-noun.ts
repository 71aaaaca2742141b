import type { ArmError } from "../../arm/errors.ts";
import type { Resource } from "../../core/resources.ts";
import type { AzureState } from "../../core/azure-state.ts";
import type { JsonObject } from "../../json.ts";

/** The namespace of networks. */
export const NETWORK = "Microsoft.Network";

/** What a noun makes of the body of a PUT. */
export interface Completed {
  readonly properties: JsonObject;
  /** Ids of other resources that must exist and may not be deleted as long as this one is there. */
  readonly uses: readonly string[];
}

/** A body on its way into the world. */
export interface NetworkDraft {
  readonly world: AzureState;
  readonly id: string;
  readonly body: JsonObject;
  readonly existing: Resource | undefined;
}

/** What is peculiar to one type of network resource. */
export interface NetworkNoun {
  /** The type in ARM's spelling, such as virtualNetworks. */
  readonly type: string;
  /** Lists inside `properties` whose items are resources of their own, such as subnets. */
  readonly children: readonly string[];
  /** Checks the body and fills in what Azure decides. */
  complete(draft: NetworkDraft): Completed;
  /** Why it cannot be deleted now. */
  inUse?(world: AzureState, resource: Resource): ArmError | undefined;
  /** Why one of its children cannot be deleted now. */
  childInUse?(world: AzureState, childId: string): ArmError | undefined;
  /** Gives back what the noun took when it was written. */
  removed?(world: AzureState, resource: Resource): void;
  /** Whether a fast PUT ends with the answer itself, without an operation. */
  readonly mayBeSynchronous?: boolean;
}
