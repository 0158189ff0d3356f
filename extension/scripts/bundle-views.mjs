// Bundles src/widget.ts into the one ES module that notebooks load through anywidget.
import { rspack } from '@rspack/core';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const home = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const compiler = rspack({
  mode: 'production',
  context: home,
  entry: './src/widget.ts',
  target: ['web', 'es2022'],
  devtool: false,
  resolve: { extensions: ['.ts', '.tsx', '.js'] },
  module: {
    rules: [
      {
        test: /\.tsx?$/,
        loader: 'builtin:swc-loader',
        options: {
          jsc: { parser: { syntax: 'typescript', tsx: true }, target: 'es2022' }
        },
        type: 'javascript/auto'
      }
    ]
  },
  output: {
    path: path.resolve(home, '../workbench/notebook/static'),
    filename: 'views.js',
    module: true,
    library: { type: 'module' }
  }
});

compiler.run((error, stats) => {
  if (error || stats.hasErrors()) {
    console.error(error ?? stats.toString('errors-only'));
    process.exitCode = 1;
    return;
  }
  const [asset] = stats.toJson({ assets: true }).assets;
  console.log(`${asset.name}: ${asset.size} bytes`);
});
