import type { Kind, KubernetesObject } from "@capstan/api";
import { type Client, Failure, type Logger } from "@capstan/runtime";

interface SelfSubjectReview extends KubernetesObject {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

const SelfSubjectReview: Kind<SelfSubjectReview> = {
  group: "authentication.k8s.io",
  version: "v1",
  apiVersion: "authentication.k8s.io/v1",
  kind: "SelfSubjectReview",
  plural: "selfsubjectreviews",
  namespaced: false,
  subresources: [],
};

/** The user that the API server sees behind the requests of this process; undefined if it does not say. */
export async function ownUser(client: Client, log: Logger): Promise<string | undefined> {
  try {
    const review = await client.create(SelfSubjectReview, { metadata: { name: "" } });
    return review.status?.userInfo?.username;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    log.warn(
      "Updates in place cannot change immutable fields of AzureMachines: the user of this process is not known",
      {
        error,
      },
    );
    return undefined;
  }
}
