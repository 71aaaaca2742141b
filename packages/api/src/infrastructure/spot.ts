import type { Frozen } from "../kubernetes/meta.ts";
import { type Static, object, oneOf, optional, quantity } from "../schema/schema.ts";
import { type FieldError, errorIf, invalid } from "../values/field-error.ts";
import { parseQuantity, quantityProblem } from "../values/quantity.ts";
import type { OSDisk } from "./disks.ts";

/** Runs machines on spare capacity, which Azure may evict. */
export const SpotVMOptions = object("Runs on spare capacity, which Azure may evict; presence enables it.", {
  maxPrice: optional(
    quantity("The maximum price for an hour, in US dollars; -1 or absent means up to the regular price."),
  ),
  evictionPolicy: optional(oneOf("What happens to an evicted machine.", ["Deallocate", "Delete"])),
});

/** Runs machines on spare capacity, which Azure may evict. */
export type SpotVMOptions = Static<typeof SpotVMOptions>;

/** A machine whose disk is on the host cannot be deallocated, so it is deleted. */
export function defaultEvictionPolicy(spot: SpotVMOptions | undefined, osDisk: OSDisk): void {
  if (spot) {
    spot.evictionPolicy ??= osDisk.diffDiskSettings ? "Delete" : "Deallocate";
  }
}

/** Validates spot options. */
export function spotErrors(
  path: string,
  spot: Frozen<SpotVMOptions> | undefined,
  osDisk: Frozen<OSDisk>,
): readonly FieldError[] {
  const price = spot?.maxPrice;
  return [
    ...errorIf(
      price !== undefined && !isPrice(price),
      invalid(`${path}.maxPrice`, price, "must be -1 or greater than 0"),
    ),
    ...errorIf(
      spot?.evictionPolicy === "Deallocate" && osDisk.diffDiskSettings,
      invalid(`${path}.evictionPolicy`, "Deallocate", "must be Delete when the OS disk has diffDiskSettings"),
    ),
  ];
}

const NO_LIMIT = parseQuantity("-1").nano;

function isPrice(price: number | string): boolean {
  const text = String(price);
  if (quantityProblem(text) !== undefined) {
    return false;
  }
  const { nano } = parseQuantity(text);
  return nano > 0n || nano === NO_LIMIT;
}
