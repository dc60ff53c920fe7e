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
	require.NoError(t, validationError(noisy{}))
	require.EqualError(t, validationError(noisy{messages: []string{"VUID-1: bad", "VUID-2"}}),
		"the validation layer reported 2 messages, the first: VUID-1: bad")
}
