// The heatmap alone, for pages that have counts already: window.shadeonceHeatmap(element, mesh).
import {connectDivider} from './divider.js';
import {View, stepsOf} from './view.js';

const palettes = PALETTES;

// addDivider adds the line between the two sides.
function addDivider(view, element) {
  const line = Object.assign(document.createElement('div'), {tabIndex: 0, className: 'divider'});
  line.style.cssText = 'position:absolute;top:0;bottom:0;width:20px;margin-left:-10px;cursor:ew-resize;touch-action:none;' +
    'background:linear-gradient(#ccc,#ccc) center/2px 100% no-repeat';
  for (const [name, value] of Object.entries({role: 'slider', 'aria-label': 'Divider of the two sides', 'aria-valuemin': 0, 'aria-valuemax': 100})) line.setAttribute(name, value);
  const divide = place => {
    view.divider = place;
    put(place);
  };
  const put = connectDivider(line, element, divide);
  element.style.position = 'relative';
  element.append(line);
  divide(0.5);
}

// heatmap shows an interactive heatmap in an element. mesh has positions (3 per vertex), indices (3 per
// triangle) and counts (per vertex), as arrays; right, other counts for a second side; and name,
// a text for people who do not see the picture. It returns the View.
window.shadeonceHeatmap = (element, {positions, indices, counts, right, name = 'mesh', palette = 'paper', background = '#1c1f24', up = 'y'}) => {
  const canvas = Object.assign(document.createElement('canvas'), {tabIndex: 0});
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', `Heatmap of ${name}. Arrow keys turn it, with Shift they move it, + and - zoom, Home resets.`);
  canvas.style.cssText = 'width:100%;height:100%;display:block;touch-action:none';
  element.append(canvas);
  const view = new View(canvas);
  view.background = background;
  view.up = up;
  view.setColors(palettes[palette].colors);
  view.setMesh(Float32Array.from(positions), Uint32Array.from(indices));
  view.setShown('left', stepsOf(counts));
  if (right) {
    view.setShown('right', stepsOf(right));
    addDivider(view, element);
  }
  canvas.addEventListener('keydown', e => { if (view.press(e)) e.preventDefault(); });
  new ResizeObserver(() => view.resized()).observe(element);
  return view;
};
