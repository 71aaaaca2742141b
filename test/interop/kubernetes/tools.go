//go:build tools

// Package tools names the programs of Kubernetes that tables of interop use, so that `go mod tidy` keeps what they need.
package tools

import _ "k8s.io/kubernetes/cmd/kubeadm"
