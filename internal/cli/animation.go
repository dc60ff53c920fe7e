package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/names"
)

// RestTime is the value of --time that leaves a scene as its file stores it.
const RestTime = -1

// TimeHelp is the usage of --time.
const TimeHelp = "pose of the file's animation after so many `seconds`, with skins and morph targets (-1: the shape as it is stored)"

// AnimationHelp is the usage of --animation.
const AnimationHelp = "which animation of the file --time shows, by its `name` or its number from 0; by default the first"

// CheckTime refuses times of --time that are none.
func CheckTime(seconds float32) error {
	if seconds >= 0 && seconds <= math.MaxFloat32 || seconds == RestTime {
		return nil
	}
	return Usagef("--time %g: want seconds from 0 on, or -1", seconds)
}

// Animated returns the formats with readers that keep what --time asks for.
func Animated(f format.Formats, seconds float32) format.Formats {
	if seconds == RestTime {
		return f
	}
	return f.Animated()
}

// Posed returns a scene as --time and --animation ask for it.
func Posed(path string, s *geometry.Scene, seconds float32, animation string) (posed *geometry.Scene, err error) {
	switch {
	case seconds == RestTime:
		return s, nil
	case len(s.Animations) == 0:
		return nil, fmt.Errorf("%s: --time %g: no animation that moves anything%s", path, seconds, strings.TrimSuffix("; "+s.LeftOut(), "; "))
	}
	of, err := FindAnimation(s.Animations, animation)
	if err == nil {
		posed, err = s.Animations[of].Pose(s, seconds)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return posed, err
}

// FindAnimation returns the animation that --animation names: its place in the list, or else its name. An empty
// name is the first.
func FindAnimation(list []geometry.Animation, name string) (int, error) {
	all := names.Of(list, geometry.Animation.Name)
	if n, err := strconv.Atoi(cmp.Or(name, "0")); err == nil && n >= 0 && n < len(list) {
		return n, nil
	} else if i := slices.Index(all, name); i >= 0 {
		return i, nil
	}
	for i := range all {
		all[i] = fmt.Sprintf("%d (%s)", i, names.Printable(all[i]))
	}
	return 0, fmt.Errorf("--animation %q: the file has no such animation, only %s", name, strings.Join(all, ", "))
}
