// Turns what vite built into the files that the program embeds: the page gzip-ed, and the two halves of a one-file report,
// between which the program writes its data. Beside them: the licences of the packages that the page is made of.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const [from, to] = process.argv.slice(2);
mkdirSync(to, { recursive: true });
const read = (name) => readFileSync(join(from, name), 'utf8');

const script = read('app.js');
const style = read('app.css');
// type=module runs after the document is there. Addresses are relative: a proxy may show the page below a path of its own.
const page = read('index.html').replaceAll(' crossorigin', '');
for (const [name, text] of [
  ['index.html', page],
  ['app.js', script],
  ['app.css', style],
]) {
  writeFileSync(join(to, `${name}.gz`), gzipSync(text, { level: 9 }));
}

const inline = script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = `default-src 'none'; script-src ${hash(inline)}; style-src ${hash(style)}; img-src data:; base-uri 'none'; form-action 'none'`;
writeFileSync(
  join(to, 'one_file_head.html'),
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>Stepscope</title>
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<script type="application/json" id="stepscope-data">`,
);
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const licences = Object.entries(packages)
  .filter(([path, entry]) => path && !entry.dev)
  .map(([path, { version, license }]) => {
    const name = path.replace('node_modules/', '');
    return `${name} ${version} (${license}), in the page\n\n${readFileSync(join(path, 'LICENSE'), 'utf8').trim()}\n`;
  });
const notices = licences.join(`\n${'-'.repeat(80)}\n`);
writeFileSync(join(to, 'licences.txt'), notices);

// Whoever passes the file on passes the texts on with it.
writeFileSync(
  join(to, 'one_file_tail.html'),
  `</script>
<script type="module">${inline}</script>
<script type="text/plain" id="third-party-notices">${notices.replaceAll('</script', '<\\/script')}</script>
</body>
</html>
`,
);
