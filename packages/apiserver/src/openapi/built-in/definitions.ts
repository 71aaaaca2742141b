import type { Block } from "../notation.ts";

/** Custom kinds. */
export const apiextensions: Block = {
  prefix: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
  group: "apiextensions.k8s.io",
  version: "v1",
  text: `
#kind CustomResourceDefinition | Defines a kind.
spec! CustomResourceDefinitionSpec | What is wanted.
status CustomResourceDefinitionStatus | What there is.

# CustomResourceDefinitionSpec | A kind.
group! string | Its group.
names! CustomResourceDefinitionNames | Its names.
scope! string | Namespaced or Cluster.
versions! []CustomResourceDefinitionVersion | Its versions.
conversion CustomResourceConversion | How one version becomes another.
preserveUnknownFields boolean | Must be false.

# CustomResourceDefinitionNames | The names of a kind.
plural! string | As it stands in paths.
singular string | As people type it.
kind! string | As it stands in objects.
listKind string | The kind of its lists.
shortNames []string | What else people may type.
categories []string | The groups of kinds that it is listed with.

# CustomResourceDefinitionVersion | A version of a kind.
name! string | Its name, such as v1beta1.
served! boolean | Whether it can be asked for.
storage! boolean | Whether objects are stored in it; true for exactly one.
deprecated boolean | Whether it is on its way out.
deprecationWarning string | What to tell those who still use it.
schema CustomResourceValidation | What its objects look like.
subresources CustomResourceSubresources | Its subresources.
additionalPrinterColumns []CustomResourceColumnDefinition | The columns of kubectl get.
selectableFields []SelectableField | The fields that a field selector can name.

# CustomResourceValidation | What objects look like.
openAPIV3Schema object | The schema.

# CustomResourceSubresources | The subresources of a version.
status object | Whether it has a status of its own.
scale CustomResourceSubresourceScale | Where kubectl scale finds the numbers.

# CustomResourceSubresourceScale | Where kubectl scale finds the numbers.
specReplicasPath! string | The path of the number that is wanted.
statusReplicasPath! string | The path of the number that there is.
labelSelectorPath string | The path of the selector.

# CustomResourceColumnDefinition | A column of kubectl get.
name! string | Its head.
type! string | string, integer, number, boolean or date.
format string | More about the type.
description string | What it shows.
priority int32 | Above zero: shown only by -o wide.
jsonPath! string | The path of the value.

# SelectableField | A field that a field selector can name.
jsonPath! string | The path of the field.

# CustomResourceConversion | How one version becomes another.
strategy! string | None or Webhook.
webhook object | Who converts.

# CustomResourceDefinitionStatus | What has become of a definition.
conditions []CustomResourceDefinitionCondition keys=type | How far it is.
acceptedNames CustomResourceDefinitionNames | The names it got.
storedVersions []string | The versions that objects were ever stored in.
observedGeneration int64 | The generation that this was found for.

# CustomResourceDefinitionCondition | One aspect of a definition.
type! string | Which aspect.
status! string | True, False or Unknown.
lastTransitionTime time | When the status changed last.
observedGeneration int64 | The generation that this was found for.
reason string | Why, in one word.
message string | Why, in a sentence.
`,
};
