import jupyter from '@jupyter/eslint-plugin';
import prettier from 'eslint-config-prettier';
import typescript from 'typescript-eslint';

export default typescript.config(
  { ignores: ['lib/', 'node_modules/'] },
  ...typescript.configs.recommended,
  {
    files: ['src/**/*.{ts,tsx}', 'test/**/*.{ts,tsx}'],
    languageOptions: {
      parserOptions: {
        project: './tsconfig.test.json',
        tsconfigRootDir: import.meta.dirname
      }
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_' }
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      curly: 'error',
      eqeqeq: 'error',
      'no-eval': 'error',
      'no-implied-eval': 'error'
    }
  },
  { plugins: { jupyter } },
  ...jupyter.configs.recommended,
  {
    // The views know no JupyterLab: their words come from a dictionary.
    files: ['src/views/**', 'src/widget.ts', 'test/**'],
    rules: { 'jupyter/no-untranslated-string': 'off' }
  },
  prettier
);
