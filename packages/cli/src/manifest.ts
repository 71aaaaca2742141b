// Imported and not read from disk: a bundle has it inside.
import manifest from "../package.json" with { type: "json" };

/** The version of this program. */
export const VERSION: string = manifest.version;

/** The image of this version, unless told: wherever the nodes of a cluster find one of that name. */
export const DEFAULT_IMAGE = `capstan:${VERSION}`;
