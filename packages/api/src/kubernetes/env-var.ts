import { boolean, described, object, optional, quantity, string } from "../schema/schema.ts";
import { KeySelector } from "./local-reference.ts";

/** An environment variable of a container. */
export const EnvVar = object("An environment variable of a container.", {
  name: string("The name of the variable."),
  value: optional(string("The value; $(NAME) stands for a variable defined before.")),
  valueFrom: optional(
    object("Where the value comes from.", {
      configMapKeyRef: optional(described("A value in a ConfigMap.", KeySelector)),
      secretKeyRef: optional(described("A value in a Secret.", KeySelector)),
      fieldRef: optional(
        object(
          "A field of the pod.",
          {
            apiVersion: optional(string("The API version that the path is written in.")),
            fieldPath: string("The path of the field."),
          },
          { atomic: true },
        ),
      ),
      resourceFieldRef: optional(
        object(
          "A resource of a container.",
          {
            containerName: optional(string("The container; needed for volumes.")),
            resource: string("The resource, such as limits.cpu."),
            divisor: optional(quantity("The unit to give the value in.")),
          },
          { atomic: true },
        ),
      ),
      fileKeyRef: optional(
        object(
          "A value in a file of variables.",
          {
            volumeName: string("The volume with the file."),
            path: string("The path of the file within the volume."),
            key: string("The variable within the file."),
            optional: optional(boolean("Continue without the value if it is missing.", { default: false })),
          },
          { atomic: true },
        ),
      ),
    }),
  ),
});
