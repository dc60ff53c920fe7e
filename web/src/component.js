// The heatmap alone, for pages that have counts already: window.shadeonceHeatmap(element, mesh).
import {View, stepsOf} from './view.js';

const palettes = PALETTES;

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
    view.divider = 0.5;
  }
  canvas.addEventListener('keydown', e => { if (view.press(e)) e.preventDefault(); });
  new ResizeObserver(() => view.draw()).observe(element);
  return view;
};
