// kstatus prints what Flux and Helm 4 take the state of an object to be: reads it as JSON from standard input, and prints the
// status, a tab and the message.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(data); err != nil {
		return err
	}
	result, err := status.Compute(object)
	if err != nil {
		return err
	}
	fmt.Printf("%s\t%s\n", result.Status, result.Message)
	return nil
}
