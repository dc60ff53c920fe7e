package cli

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/progress"
)

func TestMeter(t *testing.T) {
	t.Parallel()
	require.Equal(t, "reading a.ply", meterText("reading a.ply", .001, time.Minute))
	require.Equal(t, "reading a.ply: 25 %, 3m0s left", meterText("reading a.ply", .25, time.Minute))
	require.Equal(t, "reading a.ply: 100 %, 0s left", meterText("reading a.ply", 1, time.Minute))

	var text strings.Builder
	m := startMeter(&text, time.Hour)
	m.next = time.Time{}
	ctx := m.Stage(.5, 1, "counting %s", "a\nb")
	progress.Tell(ctx, .5)
	m.Wipe()
	require.Equal(t, wipeLine+`counting a\nb: 50 %, 0s left`+wipeLine, text.String())

	quiet := NewMeter(&text)
	require.Equal(t, context.Background(), quiet.Stage(0, 1, "x"), "a file that is no terminal gets nothing")
	quiet.Wipe()
	require.Equal(t, wipeLine+`counting a\nb: 50 %, 0s left`+wipeLine, text.String())
}

// lines sends each written text to a channel.
type lines chan string

func (l lines) Write(text []byte) (int, error) {
	l <- string(text)
	return len(text), nil
}

// TestMeterOfSilentWork: work that reports nothing has a line, which keeps changing.
func TestMeterOfSilentWork(t *testing.T) {
	t.Parallel()
	written := make(lines)
	m := startMeter(written, time.Millisecond)
	begun := make(chan struct{})
	go func() {
		m.Stage(0, 1, "counting")
		close(begun)
	}()
	for range 3 {
		require.Equal(t, wipeLine+"counting", <-written)
	}
	<-begun
	go m.Wipe()
	for text := range written {
		if text == wipeLine {
			break
		}
	}
	require.Nil(t, m.tick)
}
