/** kubeadm's configuration of the components of a control plane. */
import { EnvVar } from "../../kubernetes/env-var.ts";
import { boolean, listOf, mapOf, object, optional, string } from "../../schema/schema.ts";
import { path } from "./fields.ts";

const ExtraVolume = object("A directory of the machine that is mounted into a component.", {
  name: string("The name of the volume.", { minLength: 1, maxLength: 512 }),
  hostPath: path("The path on the machine."),
  mountPath: path("The path within the component."),
  readOnly: optional(boolean("Whether the component may only read it.")),
  pathType: optional(string("What must be at the path, such as DirectoryOrCreate.")),
});

/** Arguments of a component. */
export const ExtraArgs = mapOf(
  "Further arguments, without the leading dashes.",
  string("The value of an argument."),
);

/** Environment variables of a component. */
export const ExtraEnvs = listOf("Further environment variables.", EnvVar, { maxItems: 100 });

/** The settings of every component of a control plane. */
export const componentFields = {
  extraArgs: optional(ExtraArgs),
  extraVolumes: optional(listOf("Further volumes.", ExtraVolume, { maxItems: 100 })),
  extraEnvs: optional(ExtraEnvs),
};
