// The link holds the state of the page: what differs from what the page shows first.

export function writeLink(state, first) {
  const link = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) if (value !== first[name]) link.set(name, value);
  return link.toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
}

// readLink returns the state of a link. It ignores names that are not in `first`. A name keeps its value in `first` if the link's value
// should be a number (for a vertex, a whole one) and is not, or is not in the name's list in `known`. The divider is clamped to 0..1.
export function readLink(text, first, known) {
  const state = {...first}, link = new URLSearchParams(text);
  for (const [name, value] of link) {
    if (!(name in first)) continue;
    let v = value;
    if (typeof first[name] === 'number') v = Number(value);
    if (typeof first[name] === 'boolean') v = value === 'true';
    if (name === 'vertex' && value !== '') v = /^\d+$/.test(value) ? Number(value) : NaN;
    if (Number.isNaN(v) || known[name] && !known[name].includes(v)) continue;
    if (name === 'divider') v = Math.max(0, Math.min(1, v));
    state[name] = v;
  }
  return state;
}
