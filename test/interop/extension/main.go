// Command extension is a runtime extension on Cluster API's own server: it changes the size of machines in place, and needs
// three calls for each. It prints the names of the machines that it has updated.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	runtimecatalog "sigs.k8s.io/cluster-api/api/runtime/catalog"
	hooks "sigs.k8s.io/cluster-api/api/runtime/hooks/v1alpha1"
	"sigs.k8s.io/cluster-api/exp/runtime/server"
	ctrl "sigs.k8s.io/controller-runtime"
)

const callsForMachine = 3

type updater struct {
	mutex sync.Mutex
	calls map[string]int
}

func main() {
	port := flag.Int("port", 0, "port to listen on")
	certificates := flag.String("certificates", "", "folder with tls.crt and tls.key")
	flag.Parse()
	if err := serve(*port, *certificates); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(port int, certificates string) error {
	catalog := runtimecatalog.New()
	if err := hooks.AddToCatalog(catalog); err != nil {
		return err
	}
	extension, err := server.New(server.Options{
		Catalog: catalog, Host: "127.0.0.1", Port: port, CertDir: certificates,
	})
	if err != nil {
		return err
	}
	u := &updater{calls: map[string]int{}}
	for _, handler := range []server.ExtensionHandler{
		{Hook: hooks.CanUpdateMachine, Name: "can-update-machine", HandlerFunc: u.canUpdate},
		{Hook: hooks.UpdateMachine, Name: "update-machine", HandlerFunc: u.update},
	} {
		if err := extension.AddExtensionHandler(handler); err != nil {
			return err
		}
	}
	return extension.Start(ctrl.SetupSignalHandler())
}

func (u *updater) canUpdate(_ context.Context, request *hooks.CanUpdateMachineRequest, response *hooks.CanUpdateMachineResponse) {
	response.Status = hooks.ResponseStatusSuccess
	current, desired := sizeOf(request.Current.InfrastructureMachine), sizeOf(request.Desired.InfrastructureMachine)
	if current == desired {
		return
	}
	patch, _ := json.Marshal([]map[string]string{{"op": "replace", "path": "/spec/vmSize", "value": desired}})
	response.InfrastructureMachinePatch = hooks.Patch{PatchType: hooks.JSONPatchType, Patch: patch}
}

func (u *updater) update(_ context.Context, request *hooks.UpdateMachineRequest, response *hooks.UpdateMachineResponse) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	name := request.Desired.Machine.Name
	u.calls[name]++
	response.Status = hooks.ResponseStatusSuccess
	if u.calls[name] < callsForMachine {
		response.Message = "resizing to " + sizeOf(request.Desired.InfrastructureMachine)
		response.RetryAfterSeconds = 5
		return
	}
	fmt.Println("updated", name)
}

func sizeOf(object runtime.RawExtension) string {
	machine := struct {
		Spec struct {
			VMSize string `json:"vmSize"`
		} `json:"spec"`
	}{}
	if err := json.Unmarshal(object.Raw, &machine); err != nil {
		return ""
	}
	return machine.Spec.VMSize
}
