package vertexshader

import (
	"fmt"
	"os"
	"testing"
)

func TestTry(t *testing.T) {
	p, err := Compile(t.Context(), os.Getenv("F"), os.Getenv("E"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := p.Template(nil)
	fmt.Println(text, err)
	_, err = p.With("")
	fmt.Println(err)
}
