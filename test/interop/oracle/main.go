// Converts objects between v1beta1 and v1beta2 with Cluster API's own functions: the oracle of our conversion.
//
// It reads requests from standard input and writes an answer for each, one JSON object a line:
//
//	{"kind": "MachineDeployment", "from": "v1beta1", "to": "v1beta2", "object": {...}}
//	{"object": {...}} or {"error": "..."}
//
// With the same version in from and to it only reads and prints the object: Go's types drop empty values and add zeros, and
// two objects are the same if they print the same.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	bootstrapv1beta1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta1"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	controlplanev1beta1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta1"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	runtimev1alpha1 "sigs.k8s.io/cluster-api/api/runtime/v1alpha1"
	runtimev1 "sigs.k8s.io/cluster-api/api/runtime/v1beta2"
	bootstrap "sigs.k8s.io/cluster-api/bootstrap/kubeadm/webhooks/conversion"
	controlplane "sigs.k8s.io/cluster-api/controlplane/kubeadm/webhooks/conversion"
	core "sigs.k8s.io/cluster-api/core/webhooks/conversion"
)

type request struct {
	Kind   string          `json:"kind"`
	From   string          `json:"from"`
	To     string          `json:"to"`
	Object json.RawMessage `json:"object"`
}

type answer struct {
	Object any    `json:"object,omitempty"`
	Error  string `json:"error,omitempty"`
}

// A kind: how one of its objects is converted between the given versions.
type converter func(from, to string, object []byte) (any, error)

// kindOf builds the converter of a kind from upstream's two functions. v1beta2 is the hub.
func kindOf[Spoke, Hub any](
	up func(context.Context, *Spoke, *Hub) error,
	down func(context.Context, *Hub, *Spoke) error,
) converter {
	return func(from, to string, object []byte) (any, error) {
		var spoke Spoke
		var hub Hub
		if from == "v1beta2" {
			if err := json.Unmarshal(object, &hub); err != nil || to == from {
				return &hub, err
			}
			return &spoke, down(context.Background(), &hub, &spoke)
		}
		if err := json.Unmarshal(object, &spoke); err != nil || to == from {
			return &spoke, err
		}
		return &hub, up(context.Background(), &spoke, &hub)
	}
}

var kinds = map[string]converter{
	"Cluster":               kindOf[clusterv1beta1.Cluster, clusterv1.Cluster](core.ConvertClusterV1Beta1ToHub, core.ConvertClusterHubToV1Beta1),
	"Machine":               kindOf[clusterv1beta1.Machine, clusterv1.Machine](core.ConvertMachineV1Beta1ToHub, core.ConvertMachineHubToV1Beta1),
	"MachineSet":            kindOf[clusterv1beta1.MachineSet, clusterv1.MachineSet](core.ConvertMachineSetV1Beta1ToHub, core.ConvertMachineSetHubToV1Beta1),
	"MachineDeployment":     kindOf[clusterv1beta1.MachineDeployment, clusterv1.MachineDeployment](core.ConvertMachineDeploymentV1Beta1ToHub, core.ConvertMachineDeploymentHubToV1Beta1),
	"MachinePool":           kindOf[clusterv1beta1.MachinePool, clusterv1.MachinePool](core.ConvertMachinePoolV1Beta1ToHub, core.ConvertMachinePoolHubToV1Beta1),
	"MachineHealthCheck":    kindOf[clusterv1beta1.MachineHealthCheck, clusterv1.MachineHealthCheck](core.ConvertMachineHealthCheckV1Beta1ToHub, core.ConvertMachineHealthCheckHubToV1Beta1),
	"MachineDrainRule":      kindOf[clusterv1beta1.MachineDrainRule, clusterv1.MachineDrainRule](core.ConvertMachineDrainRuleV1Beta1ToHub, core.ConvertMachineDrainRuleHubToV1Beta1),
	"ExtensionConfig":       kindOf[runtimev1alpha1.ExtensionConfig, runtimev1.ExtensionConfig](core.ConvertExtensionConfigV1Alpha1ToHub, core.ConvertExtensionConfigHubToV1Alpha1),
	"KubeadmConfig":         kindOf[bootstrapv1beta1.KubeadmConfig, bootstrapv1.KubeadmConfig](bootstrap.ConvertKubeadmConfigV1Beta1ToHub, bootstrap.ConvertKubeadmConfigHubToV1Beta1),
	"KubeadmConfigTemplate": kindOf[bootstrapv1beta1.KubeadmConfigTemplate, bootstrapv1.KubeadmConfigTemplate](bootstrap.ConvertKubeadmConfigTemplateV1Beta1ToHub, bootstrap.ConvertKubeadmConfigTemplateHubToV1Beta1),
	"KubeadmControlPlane":   kindOf[controlplanev1beta1.KubeadmControlPlane, controlplanev1.KubeadmControlPlane](controlplane.ConvertKubeadmControlPlaneV1Beta1ToHub, controlplane.ConvertKubeadmControlPlaneHubToV1Beta1),
}

// versionOf stands in for the contract labels of CRDs: upstream's own groups have v1beta2, all others v1beta1.
func versionOf(_ context.Context, kind schema.GroupKind) (string, error) {
	version := "v1beta1"
	if strings.HasPrefix(kind.Kind, "Kubeadm") {
		version = "v1beta2"
	}
	return schema.GroupVersion{Group: kind.Group, Version: version}.String(), nil
}

func convert(line []byte) answer {
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return answer{Error: err.Error()}
	}
	kind, ok := kinds[asked.Kind]
	if !ok {
		return answer{Error: fmt.Sprintf("kind %q is not known", asked.Kind)}
	}
	object, err := kind(asked.From, asked.To, asked.Object)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Object: object}
}

func main() {
	core.SetAPIVersionGetter(versionOf)
	controlplane.SetAPIVersionGetter(versionOf)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		if err := answers.Encode(convert(lines.Bytes())); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
