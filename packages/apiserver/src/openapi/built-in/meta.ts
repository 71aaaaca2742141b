import type { Block } from "../notation.ts";

/** What all kinds share. */
export const meta: Block = {
  prefix: "io.k8s.apimachinery.pkg.apis.meta.v1",
  group: "",
  version: "v1",
  text: `
# ObjectMeta | What every object carries.
name string | Its name, unique among its kind in its namespace. Cannot be changed.
generateName string | What the server begins a name with when none is given.
namespace string | The namespace it lives in. Cannot be changed.
selfLink string | No longer filled in.
uid string | What tells it from all other objects that there were or will be. Set by the server.
resourceVersion string | Changes with every write; send it back to write only what you have read.
generation int64 | Counts the changes of what is wanted. Set by the server.
creationTimestamp time | When it was created. Set by the server.
deletionTimestamp time | From when on it is to be deleted. Set by the server.
deletionGracePeriodSeconds int64 | How long it is given to end in order. Set by the server.
labels {string} | Names and values to select it by.
annotations {string} | Names and values that tools keep with it.
ownerReferences []OwnerReference merge=uid | The objects it belongs to; it goes when all of them have gone.
finalizers []string set | Who must agree before it is deleted.
managedFields []ManagedFieldsEntry | Which field was written by whom. Kept by the server.

# OwnerReference | An object that another belongs to.
apiVersion! string | The group and version of the owner.
kind! string | The kind of the owner.
name! string | The name of the owner.
uid! string | The uid of the owner.
controller boolean | Whether the owner is the one that manages it.
blockOwnerDeletion boolean | Whether the owner waits for it when deleted in the foreground.

# ManagedFieldsEntry | The fields that one manager has written.
manager string | Who wrote.
operation string | How: Apply or Update.
apiVersion string | The version of the object that was written.
time time | When.
fieldsType string | The form of the fields, which is FieldsV1.
fieldsV1 object | The fields.
subresource string | The subresource that was written.

# ListMeta | What every list carries.
selfLink string | No longer filled in.
resourceVersion string | The version of the list; a watch can go on from it.
continue string | A token for the next page; empty at the end.
remainingItemCount int64 | How many objects are left, where that is known.

# LabelSelector | Selects objects by their labels; all parts must hold.
matchLabels {string} | Labels with the values they must have.
matchExpressions []LabelSelectorRequirement | Conditions on labels.

# LabelSelectorRequirement | A condition on a label.
key! string | The label.
operator! string | In, NotIn, Exists or DoesNotExist.
values []string | The values for In and NotIn.

# Condition | One aspect of the state of an object.
type! string | Which aspect.
status! string | True, False or Unknown.
observedGeneration int64 | The generation that this was found for.
lastTransitionTime! time | When the status changed last.
reason! string | Why, in one word.
message! string | Why, in a sentence.

# DeleteOptions | How to delete.
apiVersion string | The group and version of the kind.
kind string | The name of the kind.
gracePeriodSeconds int64 | How long the object is given to end in order.
preconditions Preconditions | What must hold, else the delete is refused.
orphanDependents boolean | Replaced by propagationPolicy.
propagationPolicy string | What becomes of what it owns: Orphan, Background or Foreground.
dryRun []string | With All, nothing is written.
ignoreStoreReadErrorWithClusterBreakingPotential boolean | Delete also what cannot be read.

# Preconditions | What must hold before a delete.
uid string | The uid the object must have.
resourceVersion string | The version the object must have.

# Status | The outcome of a request.
apiVersion string | The group and version of the kind.
kind string | The name of the kind.
metadata ListMeta | What every list carries.
status string | Success or Failure.
message string | What happened, in a sentence.
reason string | Why it failed, in one word.
details StatusDetails | More about it.
code int32 | The HTTP status.

# StatusDetails | More about the outcome of a request.
name string | The name of the object.
group string | The group of the object.
kind string | The kind of the object.
uid string | The uid of the object.
causes []StatusCause | What was wrong, field by field.
retryAfterSeconds int32 | When to try again.

# StatusCause | One thing that was wrong.
reason string | What, in one word.
message string | What, in a sentence.
field string | The field it was found in.

# Patch | A change in one of the patch formats.
`,
};
