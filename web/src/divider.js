// connectDivider lets a pointer and the arrow keys move the line between two sides over a stage. It calls moved
// with the new place, from 0 to 1, and returns a function that puts the line at a place.
export function connectDivider(line, stage, moved) {
  let at = 0;
  const move = place => moved(Math.max(0, Math.min(1, place)));
  line.addEventListener('pointerdown', e => line.setPointerCapture(e.pointerId));
  line.addEventListener('pointermove', e => {
    if (line.hasPointerCapture(e.pointerId)) move((e.clientX - stage.getBoundingClientRect().left) / stage.clientWidth);
  });
  line.addEventListener('keydown', e => {
    const by = {ArrowLeft: -0.02, ArrowRight: 0.02, Home: -1, End: 1}[e.key];
    if (by) { move(at + by); e.preventDefault(); }
  });
  return place => {
    at = place;
    line.style.left = 100 * place + '%';
    line.setAttribute('aria-valuenow', Math.round(100 * place));
  };
}
