// Bundles the page of the operator's console into a folder: `index.html`, hashed scripts and styles, and beside each a copy
// packed by brotli and gzip. Must never write a file that loads anything from elsewhere.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';

const SOURCE = 'src/console/page';

/** Packages whose code is in the page. A build is repeated when the version of one changes. */
export const PAGE_PACKAGES = ['esbuild', 'preact', '@preact/signals', '@preact/signals-core', 'uplot'];

/**
 * Bundles the page.
 * @param {{ root: string, folder: string }} options `folder` gets the files; it is made when it does not exist
 * @returns {boolean} true on success; esbuild prints each fault itself
 */
export function buildPage({ root, folder }) {
  mkdirSync(folder, { recursive: true });
  try {
    const { metafile } = buildSync({
      absWorkingDir: root,
      entryPoints: [`${SOURCE}/page-main.tsx`, `${SOURCE}/styles/page.css`],
      outdir: folder,
      bundle: true,
      splitting: true,
      minify: true,
      metafile: true,
      format: 'esm',
      target: 'es2022',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      entryNames: '[name]-[hash]',
      chunkNames: '[name]-[hash]',
      legalComments: 'none',
      logLevel: 'error',
      define: { 'process.env.NODE_ENV': '"production"' },
    });
    const outputs = Object.entries(metafile.outputs);
    /** @param {string} entry */
    const nameOf = (entry) =>
      outputs
        .find(([, { entryPoint }]) => entryPoint === `${SOURCE}/${entry}`)?.[0]
        .split('/')
        .at(-1);
    const shell = readFileSync(join(root, SOURCE, 'index.html'), 'utf8');
    const text = shell
      .replace('{script}', nameOf('page-main.tsx') ?? '')
      .replace('{styles}', nameOf('styles/page.css') ?? '');
    writeFileSync(join(folder, 'index.html'), text);
    packFiles(folder);
    return true;
  } catch {
    return false;
  }
}

/**
 * Packs every file of a folder by brotli and gzip.
 * @param {string} folder
 */
function packFiles(folder) {
  for (const name of readdirSync(folder).filter((each) => /\.(?:html|js|css)$/.test(each))) {
    const content = readFileSync(join(folder, name));
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content, { params }));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
  }
}
