import { duration, listOf, object, optional, string, timestamp } from "../../schema/schema.ts";
import { kubeadmType, path, texts } from "./fields.ts";
import { LocalApiEndpoint, phaseFields } from "./node-registration.ts";

const BootstrapToken = object("A token that nodes join with.", {
  token: string("The token, as id.secret."),
  description: optional(path("What the token is for.")),
  ttl: optional(duration("How long the token is valid; default: 24h.")),
  expires: optional(timestamp("When the token expires; instead of a ttl.")),
  usages: optional(texts("What the token may be used for.", { maxLength: 256, maxItems: 100 })),
  groups: optional(texts("The groups that its bearer is in.", { maxLength: 256, maxItems: 100 })),
});

/** The configuration of `kubeadm init`. */
export const InitConfiguration = object(
  "The configuration of `kubeadm init`, on the first control plane machine.",
  {
    ...kubeadmType,
    bootstrapTokens: optional(listOf("Tokens to create.", BootstrapToken, { maxItems: 100 })),
    localAPIEndpoint: optional(LocalApiEndpoint),
    ...phaseFields,
  },
);
