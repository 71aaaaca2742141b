// Imported and not read from disk, so that a bundle contains it.
import manifest from "../package.json" with { type: "json" };

/** The version of this program. */
export const VERSION: string = manifest.version;

/**
 * The default image, of this version, as podman names images that were built on the machine. clusterctl accepts only names
 * with a host. The nodes of the cluster must be able to pull an image of this name.
 */
export const DEFAULT_IMAGE = `localhost/capstan:${VERSION}`;
