package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/renderer/plan"
)

// noisy is a backend with a validation layer that has something to say.
type noisy struct {
	plan.Backend
	messages []string
}

func (n noisy) Info() plan.Info {
	return plan.Info{Messages: func() []string { return n.messages }}
}

func TestValidationMessagesAreErrors(t *testing.T) {
	t.Parallel()
	b := &noisy{}
	require.NoError(t, ended(b, func() {}))
	require.EqualError(t, ended(b, func() { b.messages = []string{"VUID-1: bad", "VUID-2"} }), // as it tells of leaks
		"the validation layer reported 2 messages, the first: VUID-1: bad")
}
