/** The files of an image by path: the OS disk of a new machine starts with them. */
export type ImageFiles = Readonly<Record<string, string>>;

/** An image for instances. Each version of an image is an image of its own. */
export interface Image {
  /** Where the image is published. */
  readonly kind: "marketplace" | "managed" | "gallery" | "community";
  /** `publisher:offer:sku` or the id of the definition (or of the managed image), without a version. */
  readonly definition: string;
  /** The version, such as 1.2.3; a managed image has none. */
  readonly version?: string;
  /** The regions that have it; all unless given. */
  readonly regions?: readonly string[];
  readonly osType?: "Linux" | "Windows";
  readonly excludeFromLatest?: boolean;
  /** The regions where `excludeFromLatest` has another value. */
  readonly regionalExclusions?: Readonly<Record<string, boolean>>;
  /** The Hyper-V generation; V2 unless given. */
  readonly generation?: "V1" | "V2";
  /** The purchase plan that machines from this image need. */
  readonly plan?: ImagePlan;
  readonly securityType?: string;
  /** Whether it is specialized: it keeps the users and names of its source. */
  readonly isSpecialized?: boolean;
  readonly files?: ImageFiles;
}

/** The purchase plan of an image of the marketplace. */
interface ImagePlan {
  readonly name: string;
  readonly publisher: string;
  readonly product: string;
}

/** The community gallery in which Cluster API for Azure publishes its reference images. */
const CAPI_GALLERY = "ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019";

/** The default images: two of Ubuntu and two of Cluster API. */
export const DEFAULT_IMAGES: readonly Image[] = [
  {
    kind: "marketplace",
    definition: "Canonical:0001-com-ubuntu-server-jammy:22_04-lts-gen2",
    version: "22.04.202510010",
  },
  {
    kind: "marketplace",
    definition: "Canonical:0001-com-ubuntu-server-jammy:22_04-lts-gen2",
    version: "22.04.202511010",
  },
  ...["1.33.5", "1.34.1"].map((version): Image => ({
    kind: "community",
    definition: `/CommunityGalleries/${CAPI_GALLERY}/Images/capi-ubun2-2404`,
    version,
    files: {
      "/etc/kubernetes-version": `v${version}\n`,
      "/usr/bin/kubeadm": `kubeadm v${version}\n`,
      "/var/lib/dpkg/status": `Package: kubelet\nStatus: install ok installed\nVersion: ${version}-1.1\n`,
    },
  })),
];

/** The text that names one version of an image exactly. */
export function exactName({ definition, version, kind }: Image): string {
  if (version === undefined) return definition;
  return kind === "marketplace" ? `${definition}:${version}` : `${definition}/Versions/${version}`;
}
