//go:build tools

// Package tools makes `go mod tidy` keep what the kubeadm providers are built from; nothing here is ever compiled.
package tools

import (
	_ "sigs.k8s.io/cluster-api/bootstrap/kubeadm"
	_ "sigs.k8s.io/cluster-api/controlplane/kubeadm"
)
