import { customKinds, hasNoController } from "@capstan/api";
import { expect, test } from "vitest";
import { CONTROLLERS } from "./controllers.ts";

// Templates and rules are data for other controllers; Azure Service Operator reconciles its own kinds.
const NEEDS_NONE = /(Template|Rule)$/;
const ASO_GROUPS = /\.azure\.com$/;

test("every kind has a controller, needs none, or warns its users that it has none", () => {
  const reconciled = new Set(CONTROLLERS.map(({ kind }) => kind.kind));
  const wanting = customKinds
    .filter(({ kind, group }) => !NEEDS_NONE.test(kind) && !ASO_GROUPS.test(group))
    .filter(({ kind }) => !reconciled.has(kind));
  expect(customKinds.filter(hasNoController).map(({ kind }) => kind)).toEqual(
    wanting.map(({ kind }) => kind),
  );
});
