import type { Block } from "../notation.ts";

/** Custom kinds. */
export const apiextensions: Block = {
  prefix: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
  group: "apiextensions.k8s.io",
  version: "v1",
  text: `
#kind CustomResourceDefinition | Defines a kind.
spec! CustomResourceDefinitionSpec present | The desired state.
status CustomResourceDefinitionStatus present | The observed state.

# CustomResourceDefinitionSpec | A kind.
group! string | Its group.
names! CustomResourceDefinitionNames present | Its names.
scope! string | Namespaced or Cluster.
versions! []CustomResourceDefinitionVersion | Its versions.
conversion CustomResourceConversion | How objects are converted between versions.
preserveUnknownFields boolean | Must be false.

# CustomResourceDefinitionNames | The names of a kind.
plural! string | Its name in paths.
singular string | Its name in commands.
kind! string | Its name in objects.
listKind string | The kind of its lists.
shortNames []string | Further names in commands.
categories []string | The groups of kinds that it is listed with.

# CustomResourceDefinitionVersion | A version of a kind.
name! string | Its name, such as v1beta1.
served! boolean | Whether it is served.
storage! boolean | Whether objects are stored in it; true for exactly one.
deprecated boolean | Whether it is deprecated.
deprecationWarning string | The warning for its clients.
schema CustomResourceValidation | The schema of its objects.
subresources CustomResourceSubresources | Its subresources.
additionalPrinterColumns []CustomResourceColumnDefinition | The columns of kubectl get.
selectableFields []SelectableField | The fields that a field selector can name.

# CustomResourceValidation | The schema of objects.
openAPIV3Schema object | The schema.

# CustomResourceSubresources | The subresources of a version.
status object | Whether it has a status of its own.
scale CustomResourceSubresourceScale | Where kubectl scale finds the numbers.

# CustomResourceSubresourceScale | Where kubectl scale finds the numbers.
specReplicasPath! string | The path of the desired number.
statusReplicasPath! string | The path of the current number.
labelSelectorPath string | The path of the selector.

# CustomResourceColumnDefinition | A column of kubectl get.
name! string | Its heading.
type! string | string, integer, number, boolean or date.
format string | More about the type.
description string | What it shows.
priority int32 | Above zero: shown only by -o wide.
jsonPath! string | The path of the value.

# SelectableField | A field that a field selector can name.
jsonPath! string | The path of the field.

# CustomResourceConversion | How objects are converted between versions.
strategy! string | None or Webhook.
webhook object | The converter.

# CustomResourceDefinitionStatus | The observed state of a definition.
conditions []CustomResourceDefinitionCondition keys=type | Its conditions.
acceptedNames CustomResourceDefinitionNames present | The accepted names.
storedVersions []string | The versions that objects were ever stored in.
observedGeneration int64 | The generation that the controller observed.

# CustomResourceDefinitionCondition | A condition of a definition.
type! string | The type of the condition.
status! string | True, False or Unknown.
lastTransitionTime time | When the status last changed.
observedGeneration int64 | The generation that the controller observed.
reason string | The reason, in CamelCase.
message string | The reason, for people.
`,
};
