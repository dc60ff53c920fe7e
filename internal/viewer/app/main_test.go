package app_test

import (
	"os"
	"testing"

	"github.com/shadeonce/shadeonce/internal/viewer/app"
	"github.com/shadeonce/shadeonce/internal/viewer/panels"
)

func TestMain(m *testing.M) {
	app.StageUI = panels.New
	os.Exit(app.RunTests(m))
}
