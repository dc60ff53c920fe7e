package main

import (
	"io"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// dragger drags files to windows and drops them there, as a file manager does. It is a
// source of X's drag and drop protocol (XDND, version 5), which no command-line tool
// supports.
type dragger struct {
	t      *testing.T
	conn   *xgb.Conn
	window xproto.Window // the window that owns the selection
	atoms  map[string]xproto.Atom
	events chan xgb.Event
}

// xdndVersion is the protocol version of the source, and xdndAtoms are the protocol's atoms.
const xdndVersion = 5

var xdndAtoms = []string{
	"XdndAware", "XdndSelection", "XdndEnter", "XdndPosition", "XdndStatus", "XdndDrop", "XdndFinished",
	"XdndActionCopy", "text/uri-list",
}

// connect connects to the display by the X protocol until the test ends.
func (d *desktop) connect() *xgb.Conn {
	xgb.Logger.SetOutput(io.Discard) // xgb logs that the display asks for no password
	conn := must.Get(xgb.NewConnDisplay(d.display))
	d.t.Cleanup(conn.Close)
	return conn
}

// newDragger connects to the display.
func (d *desktop) newDragger() *dragger {
	conn := d.connect()
	g := &dragger{t: d.t, conn: conn, atoms: map[string]xproto.Atom{}, events: make(chan xgb.Event, 100)}
	for _, name := range xdndAtoms {
		r, err := xproto.InternAtom(conn, false, uint16(len(name)), name).Reply()
		require.NoError(d.t, err, name)
		g.atoms[name] = r.Atom
	}
	g.window = must.Get(xproto.NewWindowId(conn))
	root := xproto.Setup(conn).DefaultScreen(conn).Root
	require.NoError(d.t, xproto.CreateWindowChecked(conn, 0, g.window, root, 0, 0, 1, 1, 0, xproto.WindowClassInputOnly, 0, 0, nil).Check())
	require.NoError(d.t, xproto.SetSelectionOwnerChecked(conn, g.window, g.atoms["XdndSelection"], xproto.TimeCurrentTime).Check())
	go func() {
		for {
			event, problem := conn.WaitForEvent()
			if event == nil && problem == nil {
				close(g.events)
				return
			}
			if event != nil {
				g.events <- event
			}
		}
	}()
	return g
}

// uriList lists files as text/uri-list: one per line. Characters outside ASCII or not allowed in an
// address are written as %XX.
func uriList(files []string) string {
	var list strings.Builder
	for _, f := range files {
		list.WriteString((&url.URL{Scheme: "file", Path: f}).String() + "\r\n")
	}
	return list.String()
}

// drop drops files on the viewer's window, and waits until it has taken them.
func (d *desktop) drop(g *dragger, files ...string) {
	d.t.Helper()
	id := must.Get(strconv.ParseUint(d.window, 10, 32))
	target := xproto.Window(id)
	aware := must.Get(xproto.GetProperty(g.conn, false, target, g.atoms["XdndAware"], xproto.AtomAtom, 0, 1).Reply())
	require.Len(d.t, aware.Value, 4, "the window takes no files")
	require.GreaterOrEqual(d.t, xgb.Get32(aware.Value), uint32(xdndVersion))

	at := must.Get(xproto.TranslateCoordinates(g.conn, target, xproto.Setup(g.conn).DefaultScreen(g.conn).Root, 100, 100).Reply())
	g.tell(target, "XdndEnter", xdndVersion<<24, uint32(g.atoms["text/uri-list"]), 0, 0)
	g.tell(target, "XdndPosition", 0, uint32(at.DstX)<<16|uint32(at.DstY), xproto.TimeCurrentTime, uint32(g.atoms["XdndActionCopy"]))
	status := g.answer(target, "XdndStatus", "")
	require.Equal(d.t, uint32(1), status[1]&1, "the window refuses the files")
	g.tell(target, "XdndDrop", 0, xproto.TimeCurrentTime, 0, 0)
	finished := g.answer(target, "XdndFinished", uriList(files))
	require.NotZero(d.t, finished[1], "the window did not take the files") // the protocol requires a flag here; GLFW sends the number of bytes received
}

// tell sends the window a message whose first word is the sender.
func (g *dragger) tell(target xproto.Window, message string, words ...uint32) {
	event := xproto.ClientMessageEvent{
		Format: 32, Window: target, Type: g.atoms[message],
		Data: xproto.ClientMessageDataUnionData32New(append([]uint32{uint32(g.window)}, words...)),
	}
	require.NoError(g.t, xproto.SendEventChecked(g.conn, false, target, xproto.EventMaskNoEvent, string(event.Bytes())).Check(), message)
}

// answer waits for the window's message, and sends the list of files to whoever requests it meanwhile.
func (g *dragger) answer(target xproto.Window, message, list string) []uint32 {
	for event := range g.events {
		switch e := event.(type) {
		case xproto.ClientMessageEvent:
			if words := e.Data.Data32; e.Type == g.atoms[message] && words[0] == uint32(target) {
				return words
			}
		case xproto.SelectionRequestEvent:
			g.hand(e, list)
		}
	}
	g.t.Fatalf("the window sends no %s", message)
	return nil
}

// hand writes the list to the requested property, and notifies the requester.
func (g *dragger) hand(e xproto.SelectionRequestEvent, list string) {
	require.Equal(g.t, g.atoms["text/uri-list"], e.Target)
	require.NoError(g.t, xproto.ChangePropertyChecked(g.conn, xproto.PropModeReplace, e.Requestor, e.Property, e.Target, 8, uint32(len(list)), []byte(list)).Check())
	there := xproto.SelectionNotifyEvent{Time: e.Time, Requestor: e.Requestor, Selection: e.Selection, Target: e.Target, Property: e.Property}
	require.NoError(g.t, xproto.SendEventChecked(g.conn, false, e.Requestor, xproto.EventMaskNoEvent, string(there.Bytes())).Check())
}
