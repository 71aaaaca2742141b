import type { Block } from "../notation.ts";

/** Token and self reviews. */
export const authentication: Block = {
  prefix: "io.k8s.api.authentication.v1",
  group: "authentication.k8s.io",
  version: "v1",
  text: `
#kind TokenReview | Verifies a token.
2 spec! TokenReviewSpec | The token.
3 status TokenReviewStatus | The user of the token.

# TokenReviewSpec | A token.
1 token string | The token.
2 audiences []string | The audiences that it must have.

# TokenReviewStatus | The user of the token.
1 authenticated boolean | Whether it is valid.
2 user UserInfo | The user of the token.
4 audiences []string | Its audiences.
3 error string | Why it could not be verified.

# UserInfo | A user of the API.
1 username string | The name.
2 uid string | The unique id of the user.
3 groups []string | The groups of the user.
4 extra {[]string} | Further facts about the user.

#kind TokenRequest | Issues a token of a service account.
2 spec! TokenRequestSpec present | The requested token.
3 status TokenRequestStatus present | The token.

# TokenRequestSpec | The requested token.
1 audiences! []string | Its audiences.
4 expirationSeconds *int64 | How long it is valid.
3 boundObjectRef BoundObjectReference | The object whose deletion invalidates it.

# TokenRequestStatus | A token.
1 token! string | The token.
2 expirationTimestamp! time | When it expires.

# BoundObjectReference | An object whose deletion invalidates a token.
1 kind string | Its kind.
2 apiVersion string | Its group and version.
3 name string | Its name.
4 uid string | Its uid.

#kind SelfSubjectReview | Returns the identity of the caller.
2 status SelfSubjectReviewStatus | The identity of the caller.

# SelfSubjectReviewStatus | The identity of the caller.
1 userInfo UserInfo | The identity of the caller.
`,
};

/** Access reviews. */
export const authorization: Block = {
  prefix: "io.k8s.api.authorization.v1",
  group: "authorization.k8s.io",
  version: "v1",
  text: `
#kind SubjectAccessReview | Checks whether a user may do something.
2 spec! SubjectAccessReviewSpec | The user and the action.
3 status SubjectAccessReviewStatus | Whether it is allowed.

#kind SelfSubjectAccessReview | Checks whether the caller may do something.
2 spec! SelfSubjectAccessReviewSpec | What.
3 status SubjectAccessReviewStatus | Whether it is allowed.

#kind LocalSubjectAccessReview | Checks whether a user may do something in a namespace.
2 spec! SubjectAccessReviewSpec | The user and the action.
3 status SubjectAccessReviewStatus | Whether it is allowed.

#kind SelfSubjectRulesReview | Lists the permissions of the caller in a namespace.
2 spec! SelfSubjectRulesReviewSpec | The namespace.
3 status SubjectRulesReviewStatus | The permissions of the caller.

# SubjectAccessReviewSpec | A user and an action.
1 resourceAttributes ResourceAttributes | The action on a resource.
2 nonResourceAttributes NonResourceAttributes | The action on a path.
3 user string | The name of the user.
4 groups []string | The groups of the user.
5 extra {[]string} | Further facts about the user.
6 uid string | The unique id of the user.

# SelfSubjectAccessReviewSpec | The action.
1 resourceAttributes ResourceAttributes | An action on a resource.
2 nonResourceAttributes NonResourceAttributes | An action on a path.

# ResourceAttributes | An action on a resource.
1 namespace string | Where; empty for all namespaces, or none.
2 verb string | The verb; * for everything.
3 group string | The group of the resource; * for all.
4 version string | The version of the resource; * for all.
5 resource string | The resource; * for all.
6 subresource string | The subresource.
7 name string | The name of the object; empty for all.
8 fieldSelector FieldSelectorAttributes | The objects, by their fields.
9 labelSelector LabelSelectorAttributes | The objects, by their labels.

# LabelSelectorAttributes | Selects objects by their labels.
1 rawSelector string | As written in a query.
2 requirements []LabelSelectorRequirement | The parsed requirements.

# FieldSelectorAttributes | Selects objects by their fields.
1 rawSelector string | As written in a query.
2 requirements []FieldSelectorRequirement | The parsed requirements.

# NonResourceAttributes | An action on a path.
1 path string | The path.
2 verb string | The verb.

# SubjectAccessReviewStatus | Whether an action is allowed.
1 allowed! boolean | Whether it is allowed.
4 denied boolean | Whether it is explicitly denied.
2 reason string | Why.
3 evaluationError string | The error of the evaluation.

# SelfSubjectRulesReviewSpec | A namespace.
1 namespace string | The namespace.

# SubjectRulesReviewStatus | The permissions of the caller.
1 resourceRules! []ResourceRule | The permissions on resources.
2 nonResourceRules! []NonResourceRule | The permissions on paths.
3 incomplete! boolean | Whether there may be more.
4 evaluationError string | The error of the evaluation.

# ResourceRule | A permission on resources.
1 verbs! []string | The verbs; * for all.
2 apiGroups []string | The groups of the resources.
3 resources []string | The resources; * for all.
4 resourceNames []string | The names of the objects; none for all.

# NonResourceRule | A permission on paths.
1 verbs! []string | The verbs; * for all.
2 nonResourceURLs []string | The paths.
`,
};
