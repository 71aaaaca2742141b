//go:build tools

// Package tools makes `go mod tidy` keep what core is built from; nothing here is ever compiled.
package tools

import _ "sigs.k8s.io/cluster-api/core"
