// Builds dist/index.html, the whole page as one file, and dist/component.js, the heatmap alone.
// `make web` runs it, with Go and zstd on the PATH, after `npm ci`.
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const web = dirname(fileURLToPath(import.meta.url));
const go = process.env.GO || 'go';
const run = (command, args, env = {}) => execFileSync(command, args, {cwd: web, env: {...process.env, ...env}, maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'inherit']});

for (const folder of ['build', 'dist']) mkdirSync(join(web, folder), {recursive: true});
const program = join(web, 'build', 'shadeonce.wasm');
run(go, ['build', '-ldflags=-s -w', '-o', program, './wasm'], {GOOS: 'js', GOARCH: 'wasm'});
// The program is packed here, so that no server has to do it. zstd's file is a quarter smaller than gzip's.
const zst = program + '.zst';
if (!existsSync(zst) || statSync(zst).mtimeMs < statSync(program).mtimeMs) {
  run('zstd', ['-q', '-f', '-19', program, '-o', zst + '.part']);
  renameSync(zst + '.part', zst); // whole, or not at all
}
const packed = readFileSync(zst);
const {palettes, ...first} = JSON.parse(run(go, ['run', './prepared']).toString());

const root = run(go, ['env', 'GOROOT']).toString().trim();
const glue = ['lib/wasm', 'misc/wasm'].map(f => join(root, f, 'wasm_exec.js')).find(existsSync);

const bundle = async (entry, options = {}) => {
  const {outputFiles} = await build({
    entryPoints: [join(web, 'src', entry)], bundle: true, minify: true, format: 'iife', target: 'es2022', write: false, legalComments: 'none',
    alias: {wasm_exec: glue}, loader: {'.css': 'text', '.wgsl': 'text'}, define: {PALETTES: JSON.stringify(palettes)}, absWorkingDir: web, ...options,
  });
  return outputFiles[0].text;
};
const worker = await bundle('worker.js');
const main = await bundle('main.js', {define: {PALETTES: JSON.stringify(palettes), WORKER: JSON.stringify(worker)}});
const notice = name => name + ':\n' + readFileSync(join(web, 'node_modules', name, 'LICENSE'), 'utf8');
const notices = ['three', 'fzstd'].map(notice).join('\n');
const licence = '<!--\nshadeonce, MIT. This page contains:\n' + notices.replaceAll('--', '- -') + '\nthe Go runtime and standard library (BSD, go.dev/LICENSE), and Go modules as listed in go.mod.\n-->';

const parts = {
  LICENCES: licence,
  STYLE: (await build({entryPoints: [join(web, 'src', 'style.css')], minify: true, write: false})).outputFiles[0].text,
  FIRST: JSON.stringify(first).replaceAll('<', '\\u003c'),
  MAIN: main,
  PROGRAM: packed.toString('base64'),
};
const page = readFileSync(join(web, 'src', 'index.html'), 'utf8').replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
writeFileSync(join(web, 'dist', 'index.html'), page);
// internal/report embeds it, as heatmap.js.
writeFileSync(join(web, 'dist', 'component.js'), '/*! shadeonce heatmap, MIT. It contains ' + notice('three') + '*/\n' + await bundle('component.js'));
