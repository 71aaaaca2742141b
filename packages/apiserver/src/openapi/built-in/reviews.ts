import type { Block } from "../notation.ts";

/** Token and self reviews. */
export const authentication: Block = {
  prefix: "io.k8s.api.authentication.v1",
  group: "authentication.k8s.io",
  version: "v1",
  text: `
#kind TokenReview | Asks whom a token belongs to.
2 spec! TokenReviewSpec | The token.
3 status TokenReviewStatus | Whom it belongs to.

# TokenReviewSpec | A token.
1 token string | The token.
2 audiences []string | For whom it must be made out.

# TokenReviewStatus | Whom a token belongs to.
1 authenticated boolean | Whether it belongs to anybody.
2 user UserInfo | Whom it belongs to.
4 audiences []string | For whom it is made out.
3 error string | Why it could not be looked at.

# UserInfo | Somebody who uses the API.
1 username string | The name.
2 uid string | What tells them from others of that name.
3 groups []string | The groups they are in.
4 extra {[]string} | What else is known about them.

#kind TokenRequest | Asks for a token of a service account.
2 spec! TokenRequestSpec | What the token is to be.
3 status TokenRequestStatus | The token.

# TokenRequestSpec | What a token is to be.
1 audiences! []string | For whom it is made out.
4 expirationSeconds *int64 | How long it is good for.
3 boundObjectRef BoundObjectReference | The object that it ends with.

# TokenRequestStatus | A token.
1 token! string | The token.
2 expirationTimestamp! time | When it ends.

# BoundObjectReference | Points to an object that a token ends with.
1 kind string | Its kind.
2 apiVersion string | Its group and version.
3 name string | Its name.
4 uid string | Its uid.

#kind SelfSubjectReview | Asks who one is.
2 status SelfSubjectReviewStatus | Who one is.

# SelfSubjectReviewStatus | Who one is.
1 userInfo UserInfo | Who one is.
`,
};

/** Access reviews. */
export const authorization: Block = {
  prefix: "io.k8s.api.authorization.v1",
  group: "authorization.k8s.io",
  version: "v1",
  text: `
#kind SubjectAccessReview | Asks whether somebody may do something.
2 spec! SubjectAccessReviewSpec | Who, and what.
3 status SubjectAccessReviewStatus | Whether they may.

#kind SelfSubjectAccessReview | Asks whether one may do something.
2 spec! SelfSubjectAccessReviewSpec | What.
3 status SubjectAccessReviewStatus | Whether one may.

#kind LocalSubjectAccessReview | Asks whether somebody may do something in a namespace.
2 spec! SubjectAccessReviewSpec | Who, and what.
3 status SubjectAccessReviewStatus | Whether they may.

#kind SelfSubjectRulesReview | Asks for everything that one may do in a namespace.
2 spec! SelfSubjectRulesReviewSpec | The namespace.
3 status SubjectRulesReviewStatus | What one may do.

# SubjectAccessReviewSpec | Somebody, and what they want to do.
1 resourceAttributes ResourceAttributes | What they want to do with a resource.
2 nonResourceAttributes NonResourceAttributes | What they want to do with a path.
3 user string | Their name.
4 groups []string | The groups they are in.
5 extra {[]string} | What else is known about them.
6 uid string | What tells them from others of that name.

# SelfSubjectAccessReviewSpec | What one wants to do.
1 resourceAttributes ResourceAttributes | With a resource.
2 nonResourceAttributes NonResourceAttributes | With a path.

# ResourceAttributes | Something to do with a resource.
1 namespace string | Where; empty for all namespaces, or none.
2 verb string | What is done; * for everything.
3 group string | The group of the resource; * for all.
4 version string | The version of the resource; * for all.
5 resource string | The resource; * for all.
6 subresource string | The subresource.
7 name string | The name of the object; empty for all.
8 fieldSelector FieldSelectorAttributes | The objects, by their fields.
9 labelSelector LabelSelectorAttributes | The objects, by their labels.

# LabelSelectorAttributes | Selects objects by their labels.
1 rawSelector string | As it stands in a query.
2 requirements []LabelSelectorRequirement | Taken apart.

# FieldSelectorAttributes | Selects objects by their fields.
1 rawSelector string | As it stands in a query.
2 requirements []FieldSelectorRequirement | Taken apart.

# NonResourceAttributes | Something to do with a path.
1 path string | The path.
2 verb string | What is done.

# SubjectAccessReviewStatus | Whether somebody may do something.
1 allowed! boolean | Whether they may.
4 denied boolean | Whether it is forbidden, whatever else allows it.
2 reason string | Why.
3 evaluationError string | What went wrong in finding out.

# SelfSubjectRulesReviewSpec | A namespace.
1 namespace string | The namespace.

# SubjectRulesReviewStatus | What one may do.
1 resourceRules! []ResourceRule | With resources.
2 nonResourceRules! []NonResourceRule | With paths.
3 incomplete! boolean | Whether there may be more.
4 evaluationError string | What went wrong in finding out.

# ResourceRule | Something that one may do with resources.
1 verbs! []string | What may be done; * for everything.
2 apiGroups []string | The groups of the resources.
3 resources []string | The resources; * for all.
4 resourceNames []string | The names of the objects; none for all.

# NonResourceRule | Something that one may do with paths.
1 verbs! []string | What may be done; * for everything.
2 nonResourceURLs []string | The paths.
`,
};
