import type { Block } from "../notation.ts";

/** Types that all kinds share. */
export const meta: Block = {
  prefix: "io.k8s.apimachinery.pkg.apis.meta.v1",
  group: "",
  version: "v1",
  text: `
# ObjectMeta | The metadata of every object.
1 name string | Its name, unique among its kind in its namespace. Cannot be changed.
2 generateName string | The prefix of a name that the server generates.
3 namespace string | Its namespace. Cannot be changed.
4 selfLink string | No longer set.
5 uid string | Its id, unique over time and space. Set by the server.
6 resourceVersion string | Changes with every write; include it in a write to detect conflicts.
7 generation int64 | Counts the changes of the desired state. Set by the server.
8 creationTimestamp time | When it was created. Set by the server.
9 deletionTimestamp time | When its deletion was requested. Set by the server.
10 deletionGracePeriodSeconds *int64 | How long it may take to shut down. Set by the server.
11 labels {string} | Names and values to select it by.
12 annotations {string} | Names and values that tools store with it.
13 ownerReferences []OwnerReference merge=uid | Its owners; it is deleted when all of them are.
14 finalizers []string set | Identifiers that must be removed before the object is deleted.
17 managedFields []ManagedFieldsEntry | The manager of each field. Set by the server.

# OwnerReference atomic | An object that another belongs to.
5 apiVersion! string | The group and version of the owner.
1 kind! string | The kind of the owner.
3 name! string | The name of the owner.
4 uid! string | The uid of the owner.
6 controller *boolean | Whether the owner is the one that manages it.
7 blockOwnerDeletion *boolean | Whether the owner waits for it when deleted in the foreground.

# ManagedFieldsEntry | The fields that one manager has written.
1 manager string | The name of the manager.
2 operation string | How: Apply or Update.
3 apiVersion string | The version of the object that was written.
4 time time | When.
6 fieldsType string | The form of the fields, which is FieldsV1.
7 fieldsV1 json | The fields.
8 subresource string | The subresource that was written.

# ListMeta | The metadata of every list.
1 selfLink string | No longer set.
2 resourceVersion string | The version of the list; a watch can start from it.
3 continue string | A token for the next page; empty at the end.
4 remainingItemCount *int64 | How many objects are left, where that is known.

# LabelSelector atomic | Selects objects by their labels; all parts must hold.
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

# Condition | A condition of the state of an object.
1 type! string | The type of the condition.
2 status! string | True, False or Unknown.
3 observedGeneration int64 | The generation that the controller observed.
4 lastTransitionTime! time | When the status last changed.
5 reason! string | The reason, in CamelCase.
6 message! string | The reason, for people.

# DeleteOptions | How to delete.
apiVersion string | The group and version of the kind.
kind string | The name of the kind.
1 gracePeriodSeconds *int64 | How long the object may take to shut down.
2 preconditions Preconditions | Preconditions of the delete.
3 orphanDependents *boolean | Replaced by propagationPolicy.
4 propagationPolicy *string | How dependents are deleted: Orphan, Background or Foreground.
5 dryRun []string | With All, nothing is written.
6 ignoreStoreReadErrorWithClusterBreakingPotential *boolean | Delete the object even if it cannot be read.

# Preconditions | Preconditions of a delete.
1 uid *string | The uid the object must have.
2 resourceVersion *string | The version the object must have.

# Status | The outcome of a request.
apiVersion string | The group and version of the kind.
kind string | The name of the kind.
1 metadata ListMeta present | The metadata of every list.
2 status string | Success or Failure.
3 message string | What happened, for people.
4 reason string | Why it failed, in CamelCase.
5 details StatusDetails | More about it.
6 code int32 | The HTTP status.

# StatusDetails | More about the outcome of a request.
1 name string | The name of the object.
2 group string | The group of the object.
3 kind string | The kind of the object.
6 uid string | The uid of the object.
4 causes []StatusCause | What was wrong, field by field.
5 retryAfterSeconds int32 | When to try again.

# StatusCause | One error.
1 reason string | The type of the error.
2 message string | The error, for people.
3 field string | The field it was found in.

# Patch | A change in one of the patch formats.
`,
};
