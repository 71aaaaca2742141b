import { listOf, mapOf, object, optional, string } from "../schema/schema.ts";

/** Programs that Azure installs on a machine. */
export const VMExtensions = listOf(
  "Programs that Azure installs on the machine.",
  object("An extension.", {
    name: string("Its name on the machine."),
    publisher: string("Who publishes it."),
    version: string("Its version."),
    settings: optional(mapOf("Its settings.", string("A setting."))),
    protectedSettings: optional(mapOf("Its settings that Azure encrypts.", string("A setting."))),
  }),
);
