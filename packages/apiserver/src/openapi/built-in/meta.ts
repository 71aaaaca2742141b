import type { Block } from "../notation.ts";

/** Types that all kinds share. */
export const meta: Block = {
  prefix: "io.k8s.apimachinery.pkg.apis.meta.v1",
  group: "",
  version: "v1",
  text: `
# ObjectMeta | What every object carries.
1 name string | Its name, unique among its kind in its namespace. Cannot be changed.
2 generateName string | What the server begins a name with when none is given.
3 namespace string | The namespace it lives in. Cannot be changed.
4 selfLink string | No longer filled in.
5 uid string | What tells it from all other objects that there were or will be. Set by the server.
6 resourceVersion string | Changes with every write; send it back to write only what you have read.
7 generation int64 | Counts the changes of what is wanted. Set by the server.
8 creationTimestamp time | When it was created. Set by the server.
9 deletionTimestamp time | From when on it is to be deleted. Set by the server.
10 deletionGracePeriodSeconds *int64 | How long it is given to end in order. Set by the server.
11 labels {string} | Names and values to select it by.
12 annotations {string} | Names and values that tools keep with it.
13 ownerReferences []OwnerReference merge=uid | The objects it belongs to; it goes when all of them have gone.
14 finalizers []string set | Who must agree before it is deleted.
17 managedFields []ManagedFieldsEntry | Which field was written by whom. Kept by the server.

# OwnerReference | An object that another belongs to.
5 apiVersion! string | The group and version of the owner.
1 kind! string | The kind of the owner.
3 name! string | The name of the owner.
4 uid! string | The uid of the owner.
6 controller *boolean | Whether the owner is the one that manages it.
7 blockOwnerDeletion *boolean | Whether the owner waits for it when deleted in the foreground.

# ManagedFieldsEntry | The fields that one manager has written.
1 manager string | Who wrote.
2 operation string | How: Apply or Update.
3 apiVersion string | The version of the object that was written.
4 time time | When.
6 fieldsType string | The form of the fields, which is FieldsV1.
7 fieldsV1 json | The fields.
8 subresource string | The subresource that was written.

# ListMeta | What every list carries.
1 selfLink string | No longer filled in.
2 resourceVersion string | The version of the list; a watch can go on from it.
3 continue string | A token for the next page; empty at the end.
4 remainingItemCount *int64 | How many objects are left, where that is known.

# LabelSelector | Selects objects by their labels; all parts must hold.
1 matchLabels {string} | Labels with the values they must have.
2 matchExpressions []LabelSelectorRequirement | Conditions on labels.

# LabelSelectorRequirement | A condition on a label.
1 key! string | The label.
2 operator! string | In, NotIn, Exists or DoesNotExist.
3 values []string | The values for In and NotIn.

# FieldSelectorRequirement | A condition on a field.
1 key! string | The field.
2 operator! string | In, NotIn, Exists or DoesNotExist.
3 values []string | The values for In and NotIn.

# Condition | One aspect of the state of an object.
1 type! string | Which aspect.
2 status! string | True, False or Unknown.
3 observedGeneration int64 | The generation that this was found for.
4 lastTransitionTime! time | When the status changed last.
5 reason! string | Why, in one word.
6 message! string | Why, in a sentence.

# DeleteOptions | How to delete.
apiVersion string | The group and version of the kind.
kind string | The name of the kind.
1 gracePeriodSeconds *int64 | How long the object is given to end in order.
2 preconditions Preconditions | What must hold, else the delete is refused.
3 orphanDependents *boolean | Replaced by propagationPolicy.
4 propagationPolicy *string | What becomes of what it owns: Orphan, Background or Foreground.
5 dryRun []string | With All, nothing is written.
6 ignoreStoreReadErrorWithClusterBreakingPotential *boolean | Delete also what cannot be read.

# Preconditions | What must hold before a delete.
1 uid *string | The uid the object must have.
2 resourceVersion *string | The version the object must have.

# Status | The outcome of a request.
apiVersion string | The group and version of the kind.
kind string | The name of the kind.
1 metadata ListMeta | What every list carries.
2 status string | Success or Failure.
3 message string | What happened, in a sentence.
4 reason string | Why it failed, in one word.
5 details StatusDetails | More about it.
6 code int32 | The HTTP status.

# StatusDetails | More about the outcome of a request.
1 name string | The name of the object.
2 group string | The group of the object.
3 kind string | The kind of the object.
6 uid string | The uid of the object.
4 causes []StatusCause | What was wrong, field by field.
5 retryAfterSeconds int32 | When to try again.

# StatusCause | One thing that was wrong.
1 reason string | What, in one word.
2 message string | What, in a sentence.
3 field string | The field it was found in.

# Patch | A change in one of the patch formats.
`,
};
