import type { Image } from "../images/image.ts";

/** The image of all AKS nodes; their cloud-config says which version of Kubernetes they run. */
export const AKS_NODE_IMAGE: Image = {
  kind: "community",
  definition: "/CommunityGalleries/AKSUbuntu-38d80f77-467a-481f-a8d4-09b6d4220bd2/Images/2204gen2containerd",
  version: "202601.7.0",
};

/** Its name in the body of a node pool. */
export const NODE_IMAGE_VERSION = "AKSUbuntu-2204gen2containerd-202601.07.0";
